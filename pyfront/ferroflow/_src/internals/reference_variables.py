"""Variables as references without an initial value, which earlier programs make themselves."""

from __future__ import annotations

from ferroflow._src.base.typing import DTypeLike, ShapeLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.handles import Tensor


def variable_op(
    shape: ShapeLike | None,
    dtype: DTypeLike,
    name: str = "Variable",
    set_shape: bool = True,
    container: str = "",
    shared_name: str = "",
) -> Tensor:
    """Adds a variable, which has no value until a step assigns one.

    Args:
        shape: TensorShape or list of int, the variable's shape.
        dtype: DType of the variable.
        name: str, the operation's name.
        set_shape: bool. If False, the shape is not known when the graph is built.
        container: str, the container of the variable's resource.
        shared_name: str, the name under which sessions share the variable; "" for the operation's name.

    Returns:
        Tensor of `dtype`, a reference to the variable.
    """
    attrs = {"dtype": dtype, "container": container, "shared_name": shared_name}
    return tensor_op("VariableV2", [], attrs={**attrs, "shape": shape if set_shape else None}, name=name)
