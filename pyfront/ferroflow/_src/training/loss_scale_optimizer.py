"""`MixedPrecisionLossScaleOptimizer`: an optimizer whose gradients are computed from a scaled loss."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.control_flow.smart_conditional import smart_cond
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.replication import current_mode
from ferroflow._src.ops.flow.grouping import group, no_op
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.training.loss_scale import DynamicLossScale, LossScale, loss_scale_of
from ferroflow._src.training.optimizer import Optimizer, uses_locking


class MixedPrecisionLossScaleOptimizer(Optimizer):
    """Optimizer that multiplies the loss by a loss scale, and divides the gradients by it.

    With a dynamic loss scale, steps whose gradients are not finite leave the variables as they are.

    Args:
        opt: the `Optimizer` that computes and applies gradients.
        loss_scale: int or float, "dynamic", or `tf.train.experimental.LossScale`.

    Raises:
        ValueError: if `opt` is not an Optimizer, or `loss_scale` is something else.

    Example:
        >>> w = tf.Variable(1.0)
        >>> optimizer = tf.train.GradientDescentOptimizer(0.5)
        >>> optimizer = tf.train.experimental.MixedPrecisionLossScaleOptimizer(optimizer, "dynamic")
        >>> train = optimizer.minimize(w * w)
        >>> sess.run(tf.global_variables_initializer())
        >>> sess.run(train)
        >>> print(sess.run(w))
        0.0
    """

    def __init__(self, opt: Optimizer, loss_scale: Any) -> None:
        if not isinstance(opt, Optimizer):
            raise ValueError(f'"opt" must be an instance of Optimizer, but got: {type(opt)}')
        super().__init__(uses_locking(opt), opt.get_name())
        self._optimizer = opt
        self._loss_scale: Any = loss_scale_of(loss_scale)
        self._track_trackable(self._optimizer, "base_optimizer")
        self._track_trackable(self._loss_scale, "loss_scale")

    def compute_gradients(
        self,
        loss: TensorLike,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Any, Any]]:
        """Adds the operations that compute the gradients of the scaled loss, and divide them by the scale.

        Args:
            loss: float32 Tensor, or a function without arguments that gives it.
            var_list: variables to be updated, in any nest; all trainable ones by default.
            gate_gradients: `GATE_NONE`, `GATE_OP` or `GATE_GRAPH`.
            aggregation_method: a constant of `AggregationMethod`.
            colocate_gradients_with_ops: bool. If True, each gradient is placed with its forward operation.
            grad_loss: Tensor of the dtype and shape of `loss`, its gradient; ones by default.

        Returns:
            List of (gradient, variable) pairs.
        """
        scale = self._loss_scale()
        pairs = self._optimizer.compute_gradients(
            loss=(lambda: loss() * scale) if callable(loss) else loss * scale,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        inverse = 1 / self._loss_scale()
        return [(scaled(gradient, inverse), variable) for gradient, variable in pairs]

    def apply_gradients(
        self, grads_and_vars: Iterable[tuple[Any, Any]], global_step: Any = None, name: str | None = None
    ) -> Operation:
        """Adds the operations that update variables; with a dynamic loss scale, only by finite gradients.

        Args:
            grads_and_vars: (gradient, variable) pairs, as `compute_gradients` gives them.
            global_step: variable that is increased by one when variables are updated, or None.
            name: str, name of the returned operation; the optimizer's by default.

        Returns:
            The operation that updates the variables and the loss scale.

        Raises:
            ValueError: if it is called once for all replicas of a strategy.
        """
        check_in_replica()
        if not isinstance(self._loss_scale, DynamicLossScale):
            return self._optimizer.apply_gradients(grads_and_vars, global_step, name)
        name = name or self.get_name()
        rest = (global_step, f"{name}-wrapped")
        return apply_finite(self._loss_scale, self._optimizer.apply_gradients, tuple(grads_and_vars), rest, name)


def check_in_replica() -> None:
    """Checks that gradients are applied in a replica.

    Raises:
        ValueError: if it is called once for all replicas of a strategy.
    """
    mode = current_mode()
    if mode is not None and mode.replica is None:
        raise ValueError("apply_gradients() must be called in a replica context.")


def apply_finite(
    loss_scale: LossScale,
    apply: Callable[..., Any],
    pairs: tuple[tuple[Any, Any], ...],
    rest: tuple[Any, ...],
    name: Any,
) -> Operation:
    """Adds the operations that update variables if the loss scale permits it, and the update of the loss scale.

    Args:
        loss_scale: LossScale.
        apply: function of `pairs` and `rest` that adds the updates; it is called for each replica.
        pairs: (gradient, variable) pairs, whose gradients are divided by the loss scale.
        rest: further arguments of `apply`.
        name: str, name of the returned operation, or None.

    Returns:
        The operation that updates the variables and the loss scale.

    Raises:
        ValueError: if it is called once for all replicas of a strategy.
    """

    def merged(strategy: Any, *arguments: Any) -> Operation:
        scale_update, may_apply = loss_scale.update([gradient for gradient, _ in arguments[0]])

        def applied() -> Any:
            if strategy is None:
                return apply(*arguments)
            return strategy.group(strategy.extended.call_for_each_replica(apply, args=arguments))

        return group(smart_cond(may_apply, applied, no_op), scale_update, name=name)

    check_in_replica()
    mode = current_mode()
    if mode is None:
        return merged(None, pairs, *rest)
    result: Operation = mode.replica.merge_call(merged, args=(pairs, *rest))
    return result


def scaled(gradient: Any, factor: Tensor) -> Any:
    """Returns a gradient times a factor.

    Args:
        gradient: Tensor or IndexedSlices of a float dtype, or None.
        factor: float Tensor of shape [].

    Returns:
        Tensor or IndexedSlices of the gradient's dtype and shape, or None.
    """
    if isinstance(gradient, IndexedSlices):
        return IndexedSlices(scaled(gradient.values, factor), gradient.indices, gradient.dense_shape)
    return None if gradient is None else gradient * cast(factor, gradient.dtype)


# Classes of optimizers that later layers define: their optimizers with a loss scale.
_with_loss_scale: dict[type, type] = {Optimizer: MixedPrecisionLossScaleOptimizer}


def register_loss_scale_optimizer(kind: type, with_loss_scale: type) -> None:
    """Registers the optimizer with a loss scale for a class of optimizers.

    Args:
        kind: class of the optimizers.
        with_loss_scale: class whose arguments are an optimizer and a loss scale.
    """
    _with_loss_scale[kind] = with_loss_scale


def enable_mixed_precision_graph_rewrite(opt: Any, loss_scale: Any = "dynamic") -> Any:
    """Returns the optimizer with a loss scale; operations keep their dtypes, as in TensorFlow on a CPU.

    Args:
        opt: `tf.train.Optimizer` or `tf.keras.optimizers.Optimizer`.
        loss_scale: int or float, "dynamic", or `tf.train.experimental.LossScale`.

    Returns:
        MixedPrecisionLossScaleOptimizer, or LossScaleOptimizer of Keras.

    Raises:
        ValueError: if `opt` is not an optimizer, or has a loss scale.
    """
    for with_loss_scale in _with_loss_scale.values():
        if isinstance(opt, with_loss_scale):
            raise ValueError(
                f'"opt" must not already be an instance of a {with_loss_scale.__name__}. '
                "`enable_mixed_precision_graph_rewrite` will automatically wrap the optimizer with a "
                f"{with_loss_scale.__name__}."
            )
    for kind, with_loss_scale in _with_loss_scale.items():
        if isinstance(opt, kind):
            return with_loss_scale(opt, loss_scale)
    raise ValueError(
        f'"opt" must be an instance of a tf.train.Optimizer or a tf.keras.optimizers.Optimizer, but got: {opt}'
    )


def disable_mixed_precision_graph_rewrite() -> None:
    """Does nothing, because no graph is rewritten: optimizers that have a loss scale keep it."""
