"""`LossScaleOptimizer`: an optimizer of Keras whose gradients are computed from a scaled loss."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from ferroflow._src.base.typing import NestedTensors, TensorLike
from ferroflow._src.framework.handles import Operation
from ferroflow._src.keras.optimizer_base import Optimizer
from ferroflow._src.layers.sessions import track_variable
from ferroflow._src.training.loss_scale import loss_scale_of, variables_of
from ferroflow._src.training.loss_scale_optimizer import apply_finite, register_loss_scale_optimizer, scaled


class LossScaleOptimizer(Optimizer):
    """Optimizer that multiplies the loss by a loss scale, and divides the gradients by it.

    With a dynamic loss scale, steps whose gradients are not finite leave the variables as they are.

    Args:
        opt: the `tf.keras.optimizers.Optimizer` that computes and applies gradients.
        loss_scale: int or float, "dynamic", or `tf.train.experimental.LossScale`.

    Raises:
        ValueError: if `opt` is not an optimizer of Keras, or clips gradients, or `loss_scale` is something else.

    Example:
        >>> w = tf.Variable(1.0, use_resource=True)
        >>> sgd = tf.keras.optimizers.SGD(0.5)
        >>> optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(sgd, "dynamic")
        >>> train = optimizer.minimize(lambda: w * w, [w])
        >>> sess.run(tf.global_variables_initializer())
        >>> sess.run(train)
        >>> print(sess.run(w))
        0.0
    """

    def __init__(self, opt: Optimizer, loss_scale: Any) -> None:
        if not isinstance(opt, Optimizer):
            raise ValueError(f'"opt" must be an instance of OptimizerV2, but got: {opt}')
        for option in ("clipnorm", "clipvalue"):
            if hasattr(opt, option):
                raise ValueError(
                    f"LossScaleOptimizer does not support wrapping optimizers with a {option}. "
                    f"Optimizer {opt} has {option} {getattr(opt, option)}"
                )
        super().__init__()
        self._optimizer = opt
        scale: Any = loss_scale_of(loss_scale)
        self._loss_scale = scale
        for variable in variables_of(scale):
            track_variable(variable)
        self._track_trackable(self._optimizer, "base_optimizer")
        self._track_trackable(self._loss_scale, "loss_scale")

    @property
    def loss_scale(self) -> Any:
        """The `LossScale` of this optimizer."""
        return self._loss_scale

    def get_scaled_loss(self, loss: Any) -> Any:
        """Returns the loss times the loss scale.

        Args:
            loss: Tensor of a float dtype, or a function without arguments that returns it.

        Returns:
            Tensor of the loss's dtype and shape, or a function that returns it.
        """
        scale = self._loss_scale()
        return (lambda: scaled(loss(), scale)) if callable(loss) else scaled(loss, scale)

    def get_unscaled_gradients(self, grads: Iterable[Any]) -> list[Any]:
        """Returns gradients divided by the loss scale.

        Args:
            grads: list of Tensors or IndexedSlices of float dtypes, or None.

        Returns:
            list of Tensors or IndexedSlices of their dtypes and shapes, or None.
        """
        inverse = 1.0 / self._loss_scale()
        return [scaled(gradient, inverse) for gradient in grads]

    def _compute_gradients(self, loss: Any, var_list: Any, grad_loss: Any = None) -> list[tuple[Any, Any]]:
        pairs = self._optimizer._compute_gradients(self.get_scaled_loss(loss), var_list, grad_loss)
        unscaled = self.get_unscaled_gradients(gradient for gradient, _ in pairs)
        return list(zip(unscaled, (variable for _, variable in pairs), strict=True))

    def get_gradients(self, loss: TensorLike, params: NestedTensors) -> list[Any]:
        """Returns the gradients of a loss: those of the scaled loss, divided by the loss scale.

        Args:
            loss: Tensor of a float dtype, of shape [].
            params: list of Variables of float dtypes.

        Returns:
            list of Tensors or IndexedSlices, of the dtypes and shapes of `params`.

        Raises:
            ValueError: if the loss does not depend on a variable.
        """
        return self.get_unscaled_gradients(self._optimizer.get_gradients(self.get_scaled_loss(loss), params))

    def apply_gradients(self, grads_and_vars: Iterable[tuple[Any, Any]], name: str | None = None) -> Operation:
        """Updates variables with gradients; with a dynamic loss scale, only with finite ones.

        Args:
            grads_and_vars: pairs of a gradient, Tensor or IndexedSlices, and its Variable of the same dtype and shape.
            name: str, the name scope of the updates; None for the optimizer's.

        Returns:
            Operation that updates the variables and the loss scale.

        Raises:
            ValueError: if no variable has a gradient, or it is called once for all replicas of a strategy.
        """
        return apply_finite(self._loss_scale, self._optimizer.apply_gradients, tuple(grads_and_vars), (name,), None)

    @property
    def iterations(self) -> Any:
        """The number of steps that were applied: a Variable of int64, of shape []."""
        return self._optimizer.iterations

    @iterations.setter
    def iterations(self, variable: Any) -> None:
        self._optimizer.iterations = variable

    @property
    def learning_rate(self) -> Any:
        """The learning rate: a Variable or Tensor of shape [], or a schedule."""
        return self._optimizer.learning_rate

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        self._optimizer.learning_rate = value

    @property
    def lr(self) -> Any:
        """The learning rate, as `learning_rate`."""
        return self._optimizer.lr

    @lr.setter
    def lr(self, value: Any) -> None:
        self._optimizer.lr = value

    def get_slot_names(self) -> list[str]:
        """Returns the names of the slots, in the order in which they were made."""
        return self._optimizer.get_slot_names()

    def variables(self) -> list[Any]:
        """Returns the wrapped optimizer's variables, without hyper-parameters, in the order in which they were made."""
        return self._optimizer.variables()

    @property
    def weights(self) -> list[Any]:
        """The wrapped optimizer's variables, without hyper-parameters, in the order in which they were made."""
        return self._optimizer.weights

    @weights.setter
    def weights(self, variables: list[Any]) -> None:
        self._optimizer.weights = variables

    def get_config(self) -> NoReturn:
        """Raises NotImplementedError, as in TensorFlow.

        Raises:
            NotImplementedError: if it is called.
        """
        raise NotImplementedError("get_config() is not yet implemented for LossScaleOptimizers")

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Mapping[str, Any] | None = None) -> NoReturn:
        """Raises NotImplementedError, as in TensorFlow.

        Args:
            config: dict, not used.
            custom_objects: dict, not used.

        Raises:
            NotImplementedError: if it is called.
        """
        raise NotImplementedError("from_config() is not yet implemented for LossScaleOptimizers")


register_loss_scale_optimizer(Optimizer, LossScaleOptimizer)
