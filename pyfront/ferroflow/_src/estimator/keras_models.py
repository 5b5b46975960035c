"""`model_to_estimator`: a compiled model of Keras as an estimator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.estimator.estimator import Estimator
from ferroflow._src.estimator.modes import ModeKeys
from ferroflow._src.estimator.run_config import RunConfig
from ferroflow._src.estimator.spec import EstimatorSpec
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras.backend import set_learning_phase
from ferroflow._src.keras.compiling import Compilation
from ferroflow._src.keras.custom_objects import custom_object_scope
from ferroflow._src.keras.model_files import load_model
from ferroflow._src.keras.optimizers import GraphOptimizer
from ferroflow._src.layers.nodes import one_or_list
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.state.assigning import assign_add
from ferroflow._src.supervision.scaffold import Scaffold
from ferroflow._src.training.global_step import get_global_step


def model_to_estimator(
    keras_model: Any = None,
    keras_model_path: str | None = None,
    custom_objects: Mapping[str, Any] | None = None,
    model_dir: str | None = None,
    config: RunConfig | None = None,
    checkpoint_format: str = "saver",
) -> Estimator:
    """Makes an estimator of a compiled model, which starts from the model's weights.

    Args:
        keras_model: Model with inputs, compiled.
        keras_model_path: str, the HDF5 file of a model, in the place of `keras_model`.
        custom_objects: dict of classes and functions of the program by name, or None.
        model_dir: str, the folder of checkpoints and summaries; None for that of `config`, or a temporary one.
        config: RunConfig, or None.
        checkpoint_format: "saver"; checkpoints hold variables by their names.

    Returns:
        Estimator, whose features are the inputs: a Tensor, a list of them or a dict by the names of the inputs.

    Raises:
        ValueError: if both or none of the model and its file are given, the model is not compiled, or is a subclass's.
        NotImplementedError: if `checkpoint_format` is not "saver".
    """
    if keras_model is None and keras_model_path is None:
        raise ValueError("Either `keras_model` or `keras_model_path` needs to be provided.")
    if keras_model is not None and keras_model_path is not None:
        raise ValueError("Please specify either `keras_model` or `keras_model_path` but not both.")
    if checkpoint_format != "saver":
        raise NotImplementedError(f"checkpoint_format is {checkpoint_format!r}, but only 'saver' is offered")
    given = keras_model if keras_model is not None else load_model(str(keras_model_path), dict(custom_objects or {}))
    if getattr(given, "optimizer", None) is None:
        raise ValueError(
            "The given keras model has not been compiled yet. Please compile the model with `model.compile()` before "
            "calling `model_to_estimator()`."
        )
    if not given.built:
        raise ValueError("The model has no inputs yet: build it, or give the input shape of its first layer.")
    with given.graph.as_default():
        described, weights = given.get_config(), given.get_weights()
        make_optimizer = _maker_of(given.optimizer)

    def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
        set_learning_phase(mode == ModeKeys.TRAIN)
        with custom_object_scope(dict(custom_objects or {})):
            model = type(given).from_config(described)
        inputs = _in_order(features, model.input_names, "features")
        outputs = nest.flatten(model(one_or_list(inputs)))
        variables = model.weights

        def load(scaffold: Any, session: Any) -> None:
            del scaffold
            for variable, value in zip(variables, weights, strict=True):
                variable.load(value, session)

        predictions = dict(zip(given.output_names, outputs, strict=True))
        scaffold = Scaffold(init_fn=load)
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(mode, predictions=predictions, scaffold=scaffold)
        compilation = Compilation(
            outputs,
            given.output_names,
            [None] * len(outputs),
            model.losses,
            given.loss,
            given.compile_metrics,
            given.loss_weights,
            given.sample_weight_mode,
            given.weighted_metrics,
            list(map(_of_rank, _in_order(labels, given.output_names, "labels"), outputs)),
        )
        if mode == ModeKeys.EVAL:
            measured = dict(zip(compilation.names[1:], [*compilation.loss_means, *compilation.stateful], strict=True))
            return EstimatorSpec(mode, predictions, compilation.total_loss, eval_metric_ops=measured, scaffold=scaffold)
        step: Any = get_global_step()
        updates = [*model.get_updates_for(None), *model.get_updates_for(inputs)]
        moves = make_optimizer().get_updates(compilation.total_loss, model.trainable_weights)
        with control_dependencies([group(*[getattr(x, "op", x) for x in moves], *updates)]):
            train_op = assign_add(step, 1).op
        return EstimatorSpec(mode, predictions, compilation.total_loss, train_op, scaffold=scaffold)

    return Estimator(model_fn, model_dir=model_dir, config=config)


def _maker_of(given: Any) -> Callable[[], Any]:
    """Returns a callable that makes an equal optimizer, with variables of the default graph."""
    if isinstance(given, GraphOptimizer):
        return lambda: given
    config = given.get_config()
    return lambda: type(given).from_config(config)


def _in_order(given: Any, names: list[str], what: str) -> list[Any]:
    """Returns tensors in the order of a model's inputs or outputs.

    Raises:
        ValueError: if there are more or fewer, or names differ.
    """
    if isinstance(given, Mapping):
        unknown = sorted(set(given) - set(names))
        if unknown or len(given) != len(names):
            raise ValueError(f"The {what} are {sorted(given)}, but the model expects {names}.")
        found = [given[name] for name in names]
    else:
        found = list(given) if isinstance(given, (list, tuple)) else [given]
    if len(found) != len(names):
        raise ValueError(f"There are {len(found)} {what}, but the model expects {len(names)}: {names}.")
    return [cast(x, "float32") if isinstance(x, Tensor) and x.dtype.is_floating else x for x in found]


def _of_rank(labels: Any, output: Any) -> Any:
    """Returns labels of shape [batch] as a column, if the output is a matrix."""
    is_row = labels.get_shape().ndims == 1 and (output.get_shape().ndims or 0) > 1
    return shaping.expand_dims(labels, -1) if is_row else labels
