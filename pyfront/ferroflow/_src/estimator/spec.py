"""`EstimatorSpec`: the result of a model function."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ferroflow._src.base import nest
from ferroflow._src.base.tensor_shape import scalar
from ferroflow._src.base.typing import DictLike, OperationObject, TensorLike, TensorObject
from ferroflow._src.estimator.export_outputs import ExportOutput, PredictOutput
from ferroflow._src.estimator.modes import ModeKeys
from ferroflow._src.framework.composite import is_tensor
from ferroflow._src.framework.default_graph import add_to_collection, get_collection, get_default_graph
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.keras.metric_base import Metric
from ferroflow._src.ops.array.shaping import reshape
from ferroflow._src.saved_model.signature_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from ferroflow._src.supervision.scaffold import Scaffold
from ferroflow._src.supervision.session_run_hook import SessionRunHook


class _Fields(NamedTuple):
    mode: str
    predictions: Any
    loss: Any
    train_op: Any
    eval_metric_ops: dict[str, Any]
    export_outputs: Any
    training_chief_hooks: tuple[SessionRunHook, ...]
    training_hooks: tuple[SessionRunHook, ...]
    scaffold: Scaffold
    evaluation_hooks: tuple[SessionRunHook, ...]
    prediction_hooks: tuple[SessionRunHook, ...]


class EstimatorSpec(_Fields):
    """Description of a model in one mode, for an `Estimator`.

    Args:
        mode: one of `ModeKeys`.
        predictions: Tensor of any dtype, of shape [batch, ...], or dict of them; needed to predict.
        loss: float Tensor of one element; needed to train and to evaluate.
        train_op: Operation, or Tensor of any dtype and shape, one step of training; needed to train.
        eval_metric_ops: dict from names to metrics of Keras, or to pairs of a metric's value and its update.
        export_outputs: dict from names of signatures to outputs such as `PredictOutput`.
        training_chief_hooks: iterable of SessionRunHook for the training of a chief.
        training_hooks: iterable of SessionRunHook for the training.
        scaffold: Scaffold; a new one by default.
        evaluation_hooks: iterable of SessionRunHook for the evaluation.
        prediction_hooks: iterable of SessionRunHook for the prediction.

    Raises:
        ValueError: if an argument that the mode needs is missing, the loss has several elements, several outputs have
            no default, or an argument belongs to another graph than the default one.
        TypeError: if an argument has a wrong type.

    Example:
        >>> predictions = tf.constant([0.2, 0.9])
        >>> spec = tf.estimator.EstimatorSpec(tf.estimator.ModeKeys.PREDICT, predictions={"score": predictions})
        >>> print(spec.mode, sorted(spec.predictions), spec.loss)
        infer ['score'] None
    """

    __slots__ = ()

    def __new__(
        cls,
        mode: str,
        predictions: TensorLike | DictLike | None = None,
        loss: TensorLike | None = None,
        train_op: TensorObject | OperationObject | None = None,
        eval_metric_ops: DictLike | None = None,
        export_outputs: DictLike | None = None,
        training_chief_hooks: Iterable[SessionRunHook] | None = None,
        training_hooks: Iterable[SessionRunHook] | None = None,
        scaffold: Scaffold | None = None,
        evaluation_hooks: Iterable[SessionRunHook] | None = None,
        prediction_hooks: Iterable[SessionRunHook] | None = None,
    ) -> EstimatorSpec:
        if train_op is None and mode == ModeKeys.TRAIN:
            raise ValueError("Missing train_op.")
        if train_op is not None:
            _check(train_op, "train_op", (Operation, Tensor))
        loss = _checked_loss(loss, mode)
        if predictions is None and mode == ModeKeys.PREDICT:
            raise ValueError("Missing predictions.")
        predictions = {} if predictions is None else predictions
        if isinstance(predictions, dict):
            for key, value in predictions.items():
                _check(value, f"predictions[{key}]", (Tensor,))
        else:
            _check(predictions, "predictions", (Tensor,))
        eval_metric_ops = _checked_metrics(eval_metric_ops)
        if export_outputs is None and mode == ModeKeys.PREDICT:
            export_outputs = {DEFAULT_SERVING_SIGNATURE_DEF_KEY: PredictOutput(predictions)}
        export_outputs = _checked_outputs(export_outputs)
        _check_graphs(predictions, loss, train_op, eval_metric_ops)
        hooks = [tuple(h or ()) for h in (training_chief_hooks, training_hooks, evaluation_hooks, prediction_hooks)]
        for hook in sum(hooks, ()):
            if not isinstance(hook, SessionRunHook):
                raise TypeError(f"All hooks must be SessionRunHook instances, given: {hook}")
        scaffold = scaffold or Scaffold()
        if not isinstance(scaffold, Scaffold):
            raise TypeError(f"scaffold must be tf.train.Scaffold. Given: {scaffold}")
        return super().__new__(
            cls,
            mode,
            predictions,
            loss,
            train_op,
            eval_metric_ops,
            export_outputs,
            hooks[0],
            hooks[1],
            scaffold,
            hooks[2],
            hooks[3],
        )

    def _replace(self, **changes: Any) -> EstimatorSpec:
        if changes.get("mode", self.mode) != self.mode:
            raise ValueError("mode of EstimatorSpec cannot be changed.")
        return EstimatorSpec(**{**self._asdict(), **changes})


def _check(value: Any, name: str, types: tuple[type, ...]) -> None:
    # Variables, such as the result of an assignment to one behind a handle, stand for their values.
    if not isinstance(value, types) and not is_tensor(value):
        raise TypeError(f"{name} must be {' or '.join(t.__name__ for t in types)}, given: {value}")


def _checked_loss(loss: Any, mode: str) -> Any:
    if loss is None:
        if mode in (ModeKeys.TRAIN, ModeKeys.EVAL):
            raise ValueError("Missing loss.")
        return None
    _check(loss, "loss", (Tensor,))
    shape = loss.get_shape()
    if shape.num_elements() not in (None, 1):
        raise ValueError(f"Loss must be scalar, given: {loss}")
    return loss if shape.is_compatible_with(scalar()) else reshape(loss, [])


def _checked_metrics(eval_metric_ops: Any) -> dict[str, Any]:
    if eval_metric_ops is None:
        return {}
    if not isinstance(eval_metric_ops, dict):
        raise TypeError(f"eval_metric_ops must be a dict, given: {eval_metric_ops}")
    eval_metric_ops = {
        key: _pair_of(metric) if isinstance(metric, Metric) else metric for key, metric in eval_metric_ops.items()
    }
    for key, pair in eval_metric_ops.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(
                f"Values of eval_metric_ops must be (metric_value, update_op) tuples, given: {pair} for key: {key}"
            )
        for part in nest.flatten(pair):
            _check(part, f"eval_metric_ops[{key}]", (Operation, Tensor))
    return dict(eval_metric_ops)


def _pair_of(metric: Metric) -> tuple[Tensor, Operation]:
    """Returns the value and the update of a metric of Keras, whose variables become local variables of the graph."""
    if not metric.state_updates:
        raise ValueError(f'Please call update_state(...) on the "{metric.name}" metric')
    for collection in (GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES):
        known = get_collection(collection)
        for variable in metric.variables:
            if not any(variable is one for one in known):
                add_to_collection(collection, variable)
    return metric.result(), metric.state_updates[0]


def _checked_outputs(export_outputs: Any) -> Any:
    if export_outputs is None:
        return None
    if not isinstance(export_outputs, dict):
        raise TypeError(f"export_outputs must be dict, given: {export_outputs}")
    for output in export_outputs.values():
        if not isinstance(output, ExportOutput):
            raise TypeError(f"Values in export_outputs must be ExportOutput objects. Given: {export_outputs}")
    if len(export_outputs) == 1:
        return {**export_outputs, DEFAULT_SERVING_SIGNATURE_DEF_KEY: next(iter(export_outputs.values()))}
    if export_outputs and DEFAULT_SERVING_SIGNATURE_DEF_KEY not in export_outputs:
        raise ValueError(
            "Multiple export_outputs were provided, but none of them is specified as the default.  Do this by naming "
            "one of them with signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY."
        )
    return export_outputs


def _check_graphs(predictions: Any, loss: Any, train_op: Any, eval_metric_ops: dict[str, Any]) -> None:
    of_name = predictions if isinstance(predictions, dict) else {"": predictions}
    used = [("prediction values", f"{key}: {value.name}", value) for key, value in of_name.items()]
    used += [(what, value.name, value) for what, value in (("loss", loss), ("train_op", train_op)) if value is not None]
    for key, pair in eval_metric_ops.items():
        used += [("eval_metric_ops", f"{key}: {value.name}", value) for value in nest.flatten(pair)]
    for what, name, value in used:
        if value.graph is not get_default_graph():
            raise ValueError(
                f'{what} with "{name}" must be from the default graph. Possible causes of this error include: \n\n'
                f"1) {what} was created outside the context of the default graph.\n\n"
                "2) The object passed through to EstimatorSpec was not created in the most recent call to "
                '"model_fn".'
            )
