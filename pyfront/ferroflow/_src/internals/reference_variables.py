"""Variables as references without an initial value, which earlier programs make themselves."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import DTypeLike, ShapeLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import colocate_with, name_scope
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


def init_variable(v: Any, init: Any, name: str = "init") -> Tensor:
    """Assigns an initial value to a variable.

    Args:
        v: Tensor that is a reference to a variable, of any dtype and shape.
        init: value that becomes a Tensor of that dtype and shape, or an initializer, which is called with the shape as
            a list and the dtype.
        name: str, the operation's name below the variable's.

    Returns:
        Tensor, the reference.

    Raises:
        ValueError: if an initializer is given, and the variable's shape is not known.
    """
    with name_scope(None, f"{v.op.name}/", [v, init]), name_scope(name) as scope, colocate_with(v):
        if not callable(init):
            value = convert_to_tensor(init, name="init")
        elif v.shape.is_fully_defined():
            value = convert_to_tensor(init(v.shape.as_list(), v.dtype.base_dtype), name="value")
        else:
            raise ValueError("Variable shape unknown.")
        return tensor_op("Assign", [v, value], name=scope)
