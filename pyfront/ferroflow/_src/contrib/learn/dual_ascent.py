"""Linear models of `tf.contrib.learn` that are trained by stochastic dual coordinate ascent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from ferroflow._src.base import dtypes
from ferroflow._src.contrib.layers.column_models import transform_features, weighted_sum_from_feature_columns
from ferroflow._src.contrib.layers.feature_columns import real_valued_column
from ferroflow._src.contrib.learn.heads import BinaryHead, RegressionHead, SvmHead
from ferroflow._src.contrib.learn.learn_modes import ModeKeys
from ferroflow._src.contrib.learn.model_ops import ModelFnOps
from ferroflow._src.contrib.learn.model_parts import LINEAR
from ferroflow._src.contrib.linear_optimizer.sdca_model import SdcaModel
from ferroflow._src.contrib.linear_optimizer.sdca_optimizer import SDCAOptimizer
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.handles import Operation
from ferroflow._src.ops.array.making import ones
from ferroflow._src.ops.array.shaping import shape
from ferroflow._src.supervision.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook
from ferroflow._src.training.global_step import get_global_step
from ferroflow._src.variables.scope import variable_scope

_BIAS: Final = "tf_virtual_bias_column"
_HEADS: Final = (BinaryHead, RegressionHead, SvmHead)


class UpdateWeightsHook(SessionRunHook):
    """Updates the variables of a model after each step of training."""

    def __init__(self) -> None:
        self._model: SdcaModel | None = None
        self._train_op: Operation | None = None
        self._update: Operation | None = None

    def set_parameters(self, sdca_model: SdcaModel, train_op: Operation) -> None:
        """Sets the model and its step of training."""
        self._model, self._train_op = sdca_model, train_op

    def begin(self) -> None:
        """Adds the update to the default graph."""
        if self._model is not None and self._train_op is not None:
            self._update = self._model.update_weights(self._train_op)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Returns the update, which runs with the step."""
        del run_context
        return SessionRunArgs(self._update)


def has_loss(head: Any) -> bool:
    """Returns True if dual coordinate ascent has the loss of a head, and the head has one logit."""
    return isinstance(head, _HEADS) and head.loss_type is not None and head.logits_dimension == 1


def model_params(head: Any, feature_columns: Any, optimizer: Any, weight_column_name: str | None) -> dict[str, Any]:
    """Returns the parameters of `sdca_model_fn`, with a hook of its own."""
    return {
        "head": head,
        "feature_columns": feature_columns,
        "optimizer": optimizer,
        "weight_column_name": weight_column_name,
        "update_weights_hook": UpdateWeightsHook(),
    }


def _batch_size(features: Iterable[Any]) -> Any:
    for feature in features:
        tensor = feature[0] if isinstance(feature, tuple) else feature
        if not isinstance(tensor, SparseTensor):
            return shape(tensor)[0]
        sizes = constant_value(tensor.dense_shape)
        if sizes is not None:
            return sizes[0]
    raise ValueError("Could not infer batch size from input features.")


def sdca_model_fn(features: Any, labels: Any, mode: str, params: Mapping[str, Any], config: Any = None) -> ModelFnOps:
    """Builds a linear model that ends in a head and is trained by dual coordinate ascent.

    Args:
        features: dict from str to Tensor, of any dtype, of shape [batch, ...].
        labels: Tensor of numbers, of shape [batch] or [batch, 1].
        mode: str, of `ModeKeys`.
        params: dict of the estimator's arguments by name, with "head", "feature_columns", "optimizer",
            "weight_column_name" and "update_weights_hook". The optimizer may be a function of `config` that returns it.
        config: RunConfig, or None.

    Returns:
        ModelFnOps.

    Raises:
        ValueError: if the optimizer is not an SDCAOptimizer, the head has another loss or several logits, or a column
            has the name of the bias.
    """
    head, columns, optimizer = params["head"], params["feature_columns"], params["optimizer"]
    if callable(optimizer):
        optimizer = optimizer(config)
    if not isinstance(optimizer, SDCAOptimizer):
        raise ValueError("Optimizer must be of type SDCAOptimizer")
    if not has_loss(head):
        raise ValueError(f"Unsupported head type: {head}")
    if any(column.name == _BIAS for column in columns):
        raise ValueError(f"{_BIAS} is a reserved column name.")
    hook = params.get("update_weights_hook")
    with variable_scope(LINEAR, values=list(features.values())) as scope:
        features = {**features, **transform_features(features, columns)}
        logits, variables, bias = weighted_sum_from_feature_columns(features, columns, 1, scope=scope)
        # The ascent takes the bias as the weight of a feature that is 1 in all examples.
        bias_column = real_valued_column(_BIAS)
        features[bias_column] = ones([_batch_size(features.values()), 1], dtypes.float32)
        variables[bias_column] = [bias]

    def step(loss: Any) -> Operation:
        del loss
        model, train_op = optimizer.get_train_step(
            variables, params["weight_column_name"], head.loss_type, features, labels, get_global_step()
        )
        if hook is not None:
            hook.set_parameters(model, train_op)
        return train_op

    made: ModelFnOps = head.create_model_fn_ops(
        features=features, labels=labels, mode=mode, train_op_fn=step, logits=logits
    )
    if hook is None or mode != ModeKeys.TRAIN:
        return made
    return made._replace(training_chief_hooks=[*made.training_chief_hooks, hook])
