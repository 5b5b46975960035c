"""Variables that follow the mean and variance of a series of tensors."""

from __future__ import annotations

from typing import Any

from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import colocate_with, control_dependencies, name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.ops.array import joining, making
from ferroflow._src.ops.math.elementwise import log, log1p, square
from ferroflow._src.ops.math.reduction import reduce_logsumexp
from ferroflow._src.ops.state.assigning import assign_add, assign_sub
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import Zeros
from ferroflow._src.variables.scope import variable_scope


def _require_float(dtype: Any, what: str) -> None:
    if not dtype.is_floating:
        raise TypeError(f"{what}.base_dtype({dtype.name}) does not have float type `dtype`.")


def assign_moving_mean_variance(
    mean_var: Any, variance_var: Any, value: Any, decay: Any, name: str | None = None
) -> tuple[Any, Any]:
    """Updates averages of means and variances that decay exponentially.

    Args:
        mean_var: Variable of a float dtype: the mean.
        variance_var: Variable of the same dtype and shape: the variance.
        value: Tensor of that dtype and shape.
        decay: Tensor of that dtype, in [0, 1]: how much of the averages stays.
        name: str, name scope of the operations.

    Returns:
        (mean, variance): Tensors of that dtype, references to the variables after the update.

    Raises:
        TypeError: if the variables have no float dtype, or different ones.

    Source: Finch, Incremental calculation of weighted mean and variance, 2009.
    """
    with (
        name_scope(name, "assign_moving_mean_variance", [variance_var, mean_var, value, decay]),
        colocate_with(variance_var),
        colocate_with(mean_var),
    ):
        dtype = mean_var.dtype.base_dtype
        _require_float(dtype, "mean_var")
        if dtype != variance_var.dtype.base_dtype:
            raise TypeError(
                f"mean_var.base_dtype({dtype.name}) != variance_var.base_dtype({variance_var.dtype.base_dtype.name})"
            )
        value = convert_to_tensor(value, dtype=dtype, name="value")
        decay = convert_to_tensor(decay, dtype=dtype, name="decay")
        delta = value - mean_var
        # Both updates are by the distance to the mean before.
        with control_dependencies([delta]):
            mean = assign_add(mean_var, (1.0 - decay) * delta)
            variance = assign_sub(variance_var, (1.0 - decay) * (variance_var - decay * square(delta)))
        return mean, variance


def assign_log_moving_mean_exp(log_mean_exp_var: Any, log_value: Any, decay: Any, name: str | None = None) -> Any:
    """Updates the logarithm of an average that decays exponentially, by logarithms of values.

    Args:
        log_mean_exp_var: Variable of a float dtype: the logarithm of the mean.
        log_value: Tensor of the same dtype and shape: the logarithms of the values.
        decay: Tensor of that dtype, in [0, 1]: the fraction of the average that each update keeps.
        name: str, name scope of the operations.

    Returns:
        Tensor of that dtype, a reference to the variable after the update.

    Raises:
        TypeError: if the variable does not have a float dtype.
    """
    with (
        name_scope(name, "assign_log_moving_mean_exp", [log_mean_exp_var, log_value, decay]),
        colocate_with(log_mean_exp_var),
    ):
        dtype = log_mean_exp_var.dtype.base_dtype
        _require_float(dtype, "log_mean_exp_var")
        log_value = convert_to_tensor(log_value, dtype=dtype, name="log_value")
        decay = convert_to_tensor(decay, dtype=dtype, name="decay")
        # log(decay * exp(v) + (1 - decay) * exp(x)) - v = logsumexp(log(decay), x - v + log(1 - decay))
        delta = (log_value - log_mean_exp_var)[None, ...]
        parts = joining.concat([log(decay) * making.ones_like(delta), delta + log1p(-decay)], 0)
        return log_mean_exp_var.assign_add(reduce_logsumexp(parts, axis=0))


def moving_mean_variance(
    value: Any, decay: Any, collections: list[str] | None = None, name: str | None = None
) -> tuple[Any, Any]:
    """Makes variables for the averages of means and variances of a tensor, and their update.

    Args:
        value: Tensor of a float dtype, of a known shape.
        decay: Tensor of the same dtype, in [0, 1]: how much of the averages stays.
        collections: list of str, the collections of the variables; None for that of global variables.
        name: str, the variable scope.

    Returns:
        (mean, variance): Tensors of that dtype, references to the variables after the update.

    Raises:
        TypeError: if `value` does not have a float dtype.
    """
    collections = [GraphKeys.GLOBAL_VARIABLES] if collections is None else collections
    with variable_scope(name, "moving_mean_variance", [value, decay]):
        value = convert_to_tensor(value, name="value")
        _require_float(value.dtype.base_dtype, "value")
        mean, variance = (
            get_variable(
                variable,
                shape=value.get_shape(),
                dtype=value.dtype,
                initializer=Zeros(),
                trainable=False,
                collections=collections,
            )
            for variable in ("moving_mean", "moving_variance")
        )
        return assign_moving_mean_variance(mean, variance, value, decay)
