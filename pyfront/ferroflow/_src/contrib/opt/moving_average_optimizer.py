"""`MovingAverageOptimizer`: an optimizer that also averages the variables it trains, and a saver of the averages."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import IntLike
from ferroflow._src.checkpoint.saver import Saver
from ferroflow._src.checkpoint.saver_builder import BaseSaverBuilder
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.framework.handles import Operation
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.training.moving_averages import ExponentialMovingAverage
from ferroflow._src.training.optimizer import Optimizer
from ferroflow._src.variables.collections import global_variables


class MovingAverageOptimizer(Optimizer):
    """Optimizer that applies another optimizer, and keeps exponential moving averages of the variables.

    Args:
        opt: the `Optimizer` that trains.
        average_decay: float, the decay of the averages.
        num_updates: int or scalar tensor, the number of updates so far, which makes the decay smaller at first.
        sequential_update: bool. If True, averages move after the step rather than during it; here always after.
    """

    def __init__(
        self,
        opt: Optimizer,
        average_decay: float = 0.9999,
        num_updates: IntLike | None = None,
        sequential_update: bool = True,
    ) -> None:
        self._optimizer = opt
        self._ema = ExponentialMovingAverage(average_decay, num_updates=num_updates)
        # From the names of variables to those of their averages, and back.
        self._swapped: dict[str, str] | None = None
        self._sequential_update = sequential_update

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the gradients, computed by the wrapped optimizer.

        Args:
            *args: as for the wrapped optimizer's `compute_gradients`.
            **kwargs: as for the wrapped optimizer's `compute_gradients`.

        Returns:
            List of (gradient, variable) pairs, as `Optimizer.compute_gradients`.
        """
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: str | None = None) -> Operation:
        """Applies gradients by the other optimizer, and moves the averages.

        Args:
            grads_and_vars: list of pairs as `compute_gradients` returns them.
            global_step: a variable to add one to.
            name: str, for the other optimizer's operation.

        Returns:
            The operation that does both.
        """
        grads_and_vars = list(grads_and_vars)
        trained = self._optimizer.apply_gradients(grads_and_vars, global_step=global_step, name=name)
        variables = [variable for gradient, variable in grads_and_vars if gradient is not None]
        with control_dependencies([trained] if self._sequential_update else []):
            averaged = self._ema.apply(variables)
        self._swapped = {}
        for variable in variables:
            average = self._ema.average(variable).op.name
            self._swapped[variable.op.name] = average
            self._swapped[average] = variable.op.name
        return group(trained, averaged, name="train_with_avg")

    def swapping_saver(self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any) -> Saver:
        """Returns a saver that saves averages under the names of their variables, and variables under those of their
        averages.

        Args:
            var_list: variables to save, as for `tf.train.Saver`; None for all global variables.
            name: str, the name scope of the saver.
            **kwargs: other arguments of `tf.train.Saver`.

        Returns:
            Saver.

        Raises:
            RuntimeError: if no gradients were applied yet.
            ValueError: if `var_list` has a variable but not its average.
        """
        if self._swapped is None:
            raise RuntimeError("Must call apply_gradients or minimize before creating the swapping_saver")
        if var_list is None:
            var_list = global_variables()
        if not isinstance(var_list, dict):
            var_list = BaseSaverBuilder.OpListToDict(var_list)
        by_name = {held.op.name: held for held in var_list.values()}
        swapped = {}
        for key, held in var_list.items():
            other = self._swapped.get(held.op.name, held.op.name)
            if other not in by_name:
                raise ValueError(
                    f"Variable to swap {other} is not part of variables to save. This breaks MovingAverageOptimizer."
                )
            swapped[key] = by_name[other]
        return Saver(swapped, name=name, **kwargs)
