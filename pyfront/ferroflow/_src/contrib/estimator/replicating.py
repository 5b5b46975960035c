"""`replicate_model_fn`: a model function whose batches several devices share."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, Final

from ferroflow._src.base import tf_logging
from ferroflow._src.base.device_spec import DeviceSpec
from ferroflow._src.base.typing import ListLike
from ferroflow._src.cluster.ps_strategy import RoundRobinStrategy
from ferroflow._src.contrib.estimator.tower_optimizer import Towers, scaled_loss, sum_on_device
from ferroflow._src.estimator.export_outputs import ClassificationOutput, PredictOutput, RegressionOutput
from ferroflow._src.estimator.modes import ModeKeys, argument_names
from ferroflow._src.estimator.spec import EstimatorSpec
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, device as on_device, get_collection, name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.losses.weighting import Reduction
from ferroflow._src.ops.array import making, shaping
from ferroflow._src.ops.array.joining import concat, split, stack
from ferroflow._src.ops.flow.grouping import group, no_op
from ferroflow._src.ops.math.arithmetic import add_n
from ferroflow._src.ops.sparse.shaping import sparse_split
from ferroflow._src.ops.state.assigning import assign, assign_add
from ferroflow._src.session.devices import list_local_devices
from ferroflow._src.variables.scope import variable_scope

__all__ = ["replicate_model_fn"]

_VARIABLES = ("Variable", "VariableV2", "VarHandleOp")
_SCOPE: Final = "tower_{}"


class VariableDistributionMode:
    """Placements of the variables of a replicated model."""

    SHARED_LOCAL_PARAMETER_SERVER: Final = 1
    SHARED_ROUND_ROBIN: Final = 2


def replicate_model_fn(
    model_fn: Callable[..., EstimatorSpec],
    loss_reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    devices: ListLike | None = None,
) -> Callable[..., EstimatorSpec]:
    """Returns a model function that divides each batch over devices, with one replica of the model on each.

    Args:
        model_fn: function of `features`, `labels`, `mode` and, if it takes them, `params` and `config`; its optimizers
            are `TowerOptimizer`s.
        loss_reduction: one of `tf.losses.Reduction` but NONE: how `model_fn` combines the losses of a batch.
        devices: list of str, the devices; None for the CPU.

    Returns:
        function for `tf.estimator.Estimator`.

    Raises:
        ValueError: if the losses are not combined; when the model is built, if a batch cannot be divided, or an
            optimizer is no TowerOptimizer.
    """
    return replicate_model_fn_with_mode(model_fn, loss_reduction, devices)


def replicate_model_fn_with_mode(
    model_fn: Callable[..., EstimatorSpec],
    loss_reduction: str,
    devices: ListLike | None = None,
    mode: int = VariableDistributionMode.SHARED_LOCAL_PARAMETER_SERVER,
) -> Callable[..., EstimatorSpec]:
    """Returns a model function as `replicate_model_fn`, for a placement of variables.

    Args:
        model_fn: function of `features`, `labels`, `mode` and, if it takes them, `params` and `config`.
        loss_reduction: one of `tf.losses.Reduction` but NONE: how `model_fn` combines the losses of a batch.
        devices: list of str, the devices; None for the CPU.
        mode: int, a constant of `VariableDistributionMode`.

    Returns:
        function for `tf.estimator.Estimator`.

    Raises:
        ValueError: if the losses are not combined.
    """
    if loss_reduction == Reduction.NONE:
        raise ValueError(f"Tower losses need to be reduced in some way, yet {loss_reduction} reduction is specified.")
    chosen = list(devices or local_devices("GPU") or local_devices("CPU"))
    is_one_gpu = len(chosen) == 1 and "GPU" in chosen[0].upper()
    place = chosen[0] if is_one_gpu else "/CPU:0"
    stores = chosen if mode == VariableDistributionMode.SHARED_ROUND_ROBIN else [place]
    tf_logging.info("Replicating the model over %s; variables are placed on %s.", chosen, stores)

    def replicated(features: Any, labels: Any, mode: str, params: Any = None, config: Any = None) -> EstimatorSpec:
        is_alone = len(chosen) == 1
        xs, ys = ([features], [labels]) if is_alone else split_batch(features, labels, len(chosen), place)
        specs = loss_towers(model_fn, mode, xs, ys, params, config, chosen, stores, loss_reduction)
        if is_alone:
            return specs[0]
        if mode == ModeKeys.PREDICT:
            return predict_spec(specs, place)
        if mode == ModeKeys.TRAIN:
            return train_spec(specs, specs[-1].train_op, place)
        return eval_spec(specs, place)

    return replicated


def local_devices(device_type: str) -> list[str]:
    """Returns the names of this process's devices of a type, such as "CPU"."""
    return [device.name for device in list_local_devices() if device.device_type == device_type]


def loss_towers(
    model_fn: Callable[..., Any],
    mode: Any,
    features: Any,
    labels: Any,
    params: Any,
    config: Any,
    devices: Sequence[str],
    local_ps_devices: Sequence[str],
    loss_reduction: str,
    name_scope_pattern: str = _SCOPE,
) -> list[EstimatorSpec]:
    """Builds a replica of a model on each of several devices.

    Args:
        model_fn: function of `features`, `labels`, `mode` and, if it takes them, `params` and `config`.
        mode: str, one of `tf.estimator.ModeKeys`.
        features: list of the replicas' features.
        labels: list of the replicas' labels, or None.
        params: the model function's parameters.
        config: the model function's RunConfig.
        devices: list of str, the devices.
        local_ps_devices: list of str, the devices of variables, which are used in turn.
        loss_reduction: one of `tf.losses.Reduction`.
        name_scope_pattern: str, the name scope of the replicas after the first; has one {} for the number.

    Returns:
        list of the replicas' EstimatorSpecs, with scaled losses.

    Raises:
        ValueError: if an optimizer is no TowerOptimizer, or the replicas call theirs at different times.
    """
    given = {"params": params, "config": config}
    taken = argument_names(model_fn)
    more = {name: copy.deepcopy(value) for name, value in given.items() if name in taken}
    towers, count, specs = Towers.of_graph(), len(devices), []
    towers.count, towers.reduction = count, loss_reduction
    in_turn = RoundRobinStrategy(len(local_ps_devices))
    for i, worker in enumerate(devices):
        with (
            variable_scope("", reuse=i > 0) as var_scope,
            name_scope(name_scope_pattern.format(i) if i else "") as scope,
            towers.tower(i, var_scope, scope),
            on_device(local_device_setter(worker, local_ps_devices, in_turn)),
        ):
            part = labels[i] if labels else None
            spec = model_fn(mode=mode, features=features[i], labels=part, **more)
            if spec.train_op is not None and count > 1 and not towers.uses_optimizer:
                raise ValueError(
                    "Please wrap optimizers with TowerOptimizer in order to use replicate_model_fn with multiple "
                    "`devices`."
                )
            if spec.loss is not None:
                spec = spec._replace(loss=scaled_loss(spec.loss, loss_reduction, count))
            specs.append(spec)
    if not towers.is_even:
        raise ValueError("Each invocation of model_fn was supposed to make the same optimizer calls.")
    Towers.forget()
    return specs


def local_device_setter(
    worker_device: str | None, ps_devices: Sequence[str], ps_strategy: Callable[[Any], int]
) -> Callable[[Any], str]:
    """Returns a device function that places variables on devices of their own, and all else on one device.

    Args:
        worker_device: str, the one device.
        ps_devices: list of str, the devices of variables.
        ps_strategy: function from a variable's operation to the index of its device.

    Returns:
        function from an operation to a device.
    """

    def place(op: Any) -> str:
        spec = DeviceSpec.from_string(ps_devices[ps_strategy(op)] if op.type in _VARIABLES else worker_device or "")
        spec.merge_from(DeviceSpec.from_string(op.device or ""))
        return spec.to_string()

    return place


def split_batch(features: Any, labels: Any, number_of_shards: int, device: str) -> tuple[Any, Any]:
    """Divides features and labels, with one part for each replica.

    Args:
        features: Tensor or SparseTensor of any dtype, of shape [batch, ...]; or a dict of them.
        labels: as `features`, or None.
        number_of_shards: int, the number of parts.
        device: str, the device of the parts.

    Returns:
        (list of the parts of `features`; list of the parts of `labels`, or None).

    Raises:
        ValueError: if the batch of a Tensor has a known size that cannot be divided evenly.
    """
    count = number_of_shards

    def parts_of(values: Any) -> list[Any]:
        if isinstance(values, SparseTensor):
            return list(sparse_split(sp_input=values, num_split=count, axis=0))
        size = convert_to_tensor(values).get_shape()[0].value
        if size is not None and size % count != 0:
            raise ValueError(f"Batch size {size} needs to be divisible by the number of GPUs, which is {count}.")
        return list(split(values, count))

    def of_either(values: Any) -> Any:
        if not isinstance(values, dict):
            return parts_of(values)
        divided = {name: parts_of(value) for name, value in values.items()}
        return [{name: parts[i] for name, parts in divided.items()} for i in range(count)]

    with name_scope("split_inputs"), on_device(device):
        return of_either(features), None if labels is None else of_either(labels)


def train_spec(
    tower_specs: Sequence[EstimatorSpec], train_op: Any, aggregation_device: str, aggregated_loss_name: str = "loss"
) -> EstimatorSpec:
    """Returns the spec of a training by all replicas: that of the last one, with the sum of the losses.

    Args:
        tower_specs: list of the replicas' EstimatorSpecs.
        train_op: Operation or Tensor that trains.
        aggregation_device: str, the device of the sum.
        aggregated_loss_name: str, the name of the sum.
    """
    loss = sum_on_device([spec.loss for spec in tower_specs], aggregation_device, aggregated_loss_name)
    return tower_specs[-1]._replace(mode=ModeKeys.TRAIN, train_op=train_op, loss=loss)


def eval_spec(
    tower_specs: Sequence[EstimatorSpec], aggregation_device: str, aggregated_loss_name: str = "loss"
) -> EstimatorSpec:
    """Returns the spec of an evaluation by all replicas: that of the first one, with the sum of the losses.

    The updates of its metrics also add the variables of the other replicas' metrics.

    Args:
        tower_specs: list of the replicas' EstimatorSpecs.
        aggregation_device: str, the device of the sum.
        aggregated_loss_name: str, the name of the sum.
    """
    loss = sum_on_device([spec.loss for spec in tower_specs], aggregation_device, aggregated_loss_name)
    with control_dependencies([update for spec in tower_specs for _, update in spec.eval_metric_ops.values()]):
        update = reduce_metric_variables(len(tower_specs))
    metrics = {name: (value, update) for name, (value, _) in tower_specs[0].eval_metric_ops.items()}
    return tower_specs[0]._replace(mode=ModeKeys.EVAL, loss=loss, eval_metric_ops=metrics)


def reduce_metric_variables(number_of_towers: int) -> Any:
    """Adds the operation that moves the metrics of all replicas to the variables of the first.

    Args:
        number_of_towers: int, the number of replicas.

    Returns:
        Operation.

    Raises:
        ValueError: if the replicas do not have the same number of metric variables.
    """
    count = number_of_towers
    variables = get_collection(GraphKeys.METRIC_VARIABLES)
    own, left = divmod(len(variables), count)
    if left:
        raise ValueError(
            "Different `EstimatorSpec.eval_metric_ops` across `model_fn()` calls. "
            f"Expected {own * count} local variables, but got {len(variables)} instead."
        )
    if not variables or count == 1:
        return no_op(name="no_eval_metric_reduction")
    cleared = []
    for i in range(own):
        replicas = variables[i + own :: own]
        with control_dependencies([assign_add(variables[i], add_n(replicas))]):
            for replica in replicas:
                cleared.append(assign(replica, making.zeros(shaping.shape(replica), dtype=replica.dtype.base_dtype)))
    return group(*cleared)


def joined(*tensor_dicts: Any) -> dict[Any, Any]:
    """Returns the Tensors of several dicts, joined in their first dimension by their names.

    Args:
        *tensor_dicts: dicts of Tensors, or None.

    Returns:
        dict of Tensors.
    """
    parts: dict[Any, list[Any]] = {}
    for tensors in tensor_dicts:
        for name, tensor in (tensors or {}).items():
            parts.setdefault(name, []).append(tensor)
    return {name: concat(each, axis=0, name=name) for name, each in parts.items()}


def predict_spec(tower_specs: Sequence[EstimatorSpec], aggregation_device: str) -> EstimatorSpec:
    """Returns the spec of predictions by all replicas: their predictions and exported outputs, joined.

    Args:
        tower_specs: list of the replicas' EstimatorSpecs.
        aggregation_device: str, the device of the joined tensors.

    Raises:
        ValueError: if an exported output has another type than those of TensorFlow.
    """
    with on_device(aggregation_device):
        predictions = joined(*[spec.predictions for spec in tower_specs])
        exported = {}
        for name, output in (tower_specs[0].export_outputs or {}).items():
            exported[name] = _joined_outputs(output, [spec.export_outputs[name] for spec in tower_specs])
    return tower_specs[0]._replace(mode=ModeKeys.PREDICT, predictions=predictions, export_outputs=exported)


def _joined_outputs(first: Any, outputs: Sequence[Any]) -> Any:
    if isinstance(first, PredictOutput):
        return PredictOutput(joined(*[output.outputs for output in outputs]))
    if isinstance(first, RegressionOutput):
        return RegressionOutput(concat([output.value for output in outputs], axis=0))
    if not isinstance(first, ClassificationOutput):
        raise ValueError(f"replicate_model_fn cannot join outputs of type {type(first)}.")
    scores = None if first.scores is None else concat([output.scores for output in outputs], axis=0)
    classes = None if first.classes is None else stack([output.classes for output in outputs], axis=0)
    return ClassificationOutput(scores=scores, classes=classes)
