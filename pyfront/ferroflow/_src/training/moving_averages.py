"""Moving averages of variables and tensors."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import FloatLike, ListLike, TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import (
    add_to_collection,
    colocate_with,
    get_default_graph,
    init_scope,
    name_scope,
)
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.replication import averaged_over_replicas
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.math import arithmetic
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.state.assigning import assign, assign_sub
from ferroflow._src.training import slot_creator
from ferroflow._src.variables.collections import global_variables, moving_average_variables, trainable_variables
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import Zeros
from ferroflow._src.variables.scope import variable_scope
from ferroflow._src.variables.variable import Variable
from ferroflow._src.variables.variable_scope import get_variable_scope


def assign_moving_average(
    variable: Any, value: TensorLike, decay: Any, zero_debias: bool = True, name: str | None = None
) -> Tensor:
    """Moves a variable towards a value: `variable -= (1 - decay) * (variable - value)`.

    Without bias, the variable is `biased / (1 - decay ** updates)` of an average `biased` that starts at zero: two
    further variables, `biased` and `local_step`, under the variable's name in the current scope. Under a strategy, the
    value is the mean of all replicas' values, unless it is a variable. Source: Kingma, Ba,
    "Adam: a method for stochastic optimization", ICLR 2015, section 3.

    Args:
        variable: a variable of a float dtype.
        value: tensor of its dtype and shape.
        decay: float, or scalar tensor of a float dtype: how much of the variable stays.
        zero_debias: If True, the variable is an average that started at zero, to be freed of the bias of that.
        name: name of the operation.

    Returns:
        Tensor, the reference to the variable after the update.
    """
    with name_scope(name, "AssignMovingAvg", [variable, value, decay]) as scope:
        kept = cast(convert_to_tensor(1.0 - decay, name="decay"), variable.dtype.base_dtype)
        if not isinstance(value, Variable):
            value = averaged_over_replicas(value)
        if zero_debias:
            return _assign_unbiased(variable, value, kept, scope)
        moved: Tensor = assign_sub(variable, (variable - value) * kept, name=scope)
        return moved


def _free_name(name: str) -> str:
    """Returns a name for a variable of the current variable scope, unlike that of any before it unless variables are
    reused.
    """
    scope = get_variable_scope()
    if scope.reuse:
        return name
    taken = {v.op.name for v in scope.global_variables()}
    free, count = name, 0
    while f"{scope.name}/{free}" in taken:
        count += 1
        free = f"{name}_{count}"
    return free


def _assign_unbiased(variable: Any, value: Any, kept: Tensor, name: str) -> Tensor:
    """Sets a variable to the new average, without the bias of a start at zero."""
    dtype = variable.dtype.base_dtype
    with variable_scope(variable.op.name, values=[variable, value, kept]), colocate_with(variable):
        shape = variable.get_shape()
        biased = get_variable(_free_name("biased"), shape, dtype, initializer=Zeros(), trainable=False)
        updates = get_variable(_free_name("local_step"), [], dtype, initializer=Zeros(), trainable=False)
    moved = assign_sub(biased, (biased - value) * kept)
    count = updates.assign_add(1)
    # `kept` is the share of the new value: the share of the old average is 1 - kept.
    weight = 1 - arithmetic.pow(1.0 - kept, count)
    assigned: Tensor = assign(variable, moved / weight, name=name)
    return assigned


def weighted_moving_average(
    value: Any,
    decay: Any,
    weight: Any,
    truediv: bool = True,
    collections: list[str] | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the moving average of `value * weight` over that of `weight`, each updated once.

    Args:
        value: tensor of a number dtype and known shape.
        decay: float, or scalar tensor of a float dtype: how much of the averages stays.
        weight: tensor of known shape that `value` can be multiplied by.
        truediv: If True, integers are divided as numbers rather than rounded down.
        collections: collections of the two variables; by default that of the global ones.
        name: name of the variable scope, and of the operation.

    Returns:
        Tensor, the average after the step.
    """
    if collections is None:
        collections = [GraphKeys.GLOBAL_VARIABLES]
    with variable_scope(name, "WeightedMovingAvg", [value, weight, decay]) as scope:
        averages = [
            get_variable(
                of,
                shape=tensor.get_shape(),
                dtype=tensor.dtype,
                initializer=Zeros(),
                trainable=False,
                collections=collections,
            )
            for of, tensor in (("value_x_weight", value), ("weight", weight))
        ]
        above = assign_moving_average(averages[0], value * weight, decay, zero_debias=False)
        below = assign_moving_average(averages[1], weight, decay, zero_debias=False)
        return (arithmetic.truediv if truediv else arithmetic.div)(above, below, name=scope.name)


class ExponentialMovingAverage:
    """Moving averages of variables, in variables of their own named `variable/ExponentialMovingAverage`.

    `average = decay * average + (1 - decay) * variable` each time the operation of `apply` runs. To evaluate a model
    with averages, restore them into the variables themselves (see `variables_to_restore`), or read `average`.

    Args:
        decay: float, or scalar tensor, below 1 and close to it: the fraction of the average that each update keeps.
        num_updates: variable or tensor of a number dtype, of shape []: the updates so far; where given, the decay is at
            most `(1 + num_updates) / (10 + num_updates)`, which lets averages move faster at first.
        zero_debias: If True, the averages of tensors are corrected for their start at zero.
        name: name of the averages, and name scope of the operations made.

    Example:
        >>> loss = tf.Variable(8.0)
        >>> averages = tf.train.ExponentialMovingAverage(decay=0.75)
        >>> update = averages.apply([loss])
        >>> sess.run(tf.global_variables_initializer())
        >>> _ = sess.run(loss.assign(4.0))
        >>> sess.run(update)
        >>> print(sess.run(averages.average(loss)))
        7.0
    """

    def __init__(
        self,
        decay: FloatLike,
        num_updates: TensorLike | None = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._decay = decay
        self._num_updates = num_updates
        self._zero_debias = zero_debias
        self._name = name
        self._averages: dict[Any, Any] = {}

    def apply(self, var_list: ListLike | None = None) -> Operation:
        """Creates averages, and returns the operation that updates them.

        The average of a variable starts at the variable's initial value, and the variable joins the collection
        `MOVING_AVERAGE_VARIABLES`; that of a tensor starts at zero.

        Args:
            var_list: list of variables and tensors of float16, float32 or float64, of any shape; all trainable
                variables by default.

        Returns:
            The operation that updates all these averages.

        Raises:
            TypeError: if a variable's dtype is not a float dtype.
            ValueError: if a variable already has an average.
        """
        if var_list is None:
            var_list = trainable_variables()
        unbiased = []
        for var in var_list:
            if var.dtype.base_dtype not in (dtypes.float16, dtypes.float32, dtypes.float64):
                raise TypeError(f"The variables must be half, float, or double: {var.name}")
            if var in self._averages:
                raise ValueError(f"Moving average already computed for: {var.name}")
            with init_scope():
                if isinstance(var, Variable):
                    average = slot_creator.create_slot(var, var.initialized_value(), self._name)
                    add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, var)
                else:
                    of_variable = var.op.type in ("Variable", "VariableV2", "VarHandleOp")
                    average = slot_creator.create_zeros_slot(var, self._name, colocate_with_primary=of_variable)
                    if self._zero_debias:
                        unbiased.append(average)
            self._averages[var] = average
        with name_scope(self._name) as scope:
            decay = convert_to_tensor(self._decay, name="decay")
            if self._num_updates is not None:
                done = cast(self._num_updates, dtypes.float32, name="num_updates")
                decay = arithmetic.minimum(decay, (1.0 + done) / (10.0 + done))
            updates = [
                assign_moving_average(average, var, decay, zero_debias=average in unbiased)
                for var, average in ((var, self._averages[var]) for var in var_list)
            ]
            return group(*updates, name=scope)

    def average(self, var: Any) -> Any:
        """Returns the variable that holds the average of a variable or tensor.

        Args:
            var: a variable or tensor of any dtype and shape.

        Returns:
            Variable, or None if there is no average.
        """
        return self._averages.get(var)

    def average_name(self, var: Any) -> str:
        """Returns the name of a variable's average, which need not exist yet.

        Args:
            var: a variable or tensor of any dtype and shape.

        Returns:
            str, without the number of the output.
        """
        if var in self._averages:
            name: str = self._averages[var].op.name
            return name
        return get_default_graph().unique_name(f"{var.op.name}/{self._name}", mark_as_used=False)

    def variables_to_restore(self, moving_avg_variables: Any = None) -> dict[str, Any]:
        """Returns all global variables by the names from which a saver restores them.

        Args:
            moving_avg_variables: the variables restored from their averages; by default the trainable ones and those of
                the collection `MOVING_AVERAGE_VARIABLES`.

        Returns:
            Dict from names to variables: `average_name` for those with averages, their own for the others.
        """
        if moving_avg_variables is None:
            moving_avg_variables = [*trainable_variables(), *moving_average_variables()]
        averaged = dict.fromkeys(moving_avg_variables)
        names = {self.average_name(v): v for v in averaged}
        own = {v.name for v in averaged}
        for v in dict.fromkeys(global_variables()):
            if v.name not in own and v.op.name not in names:
                names[v.op.name] = v
        return names
