"""Operations as NodeDef messages, schemas as OpDef messages, attributes in both directions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ferroflow._src.base import dtypes, proto, tensor_content
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.framework.op_schema import op_schema

if TYPE_CHECKING:
    from ferroflow._src.framework.operation import Operation

_LIST_FIELDS = {
    "list(int)": "i",
    "list(float)": "f",
    "list(bool)": "b",
    "list(string)": "s",
    "list(type)": "type",
}


def _shape_message(dims: tuple[int | None, ...] | None) -> Any:
    return TensorShape(dims).as_proto()


# Above this number of bytes a tensor of one repeated value is written as that value and the shape, as TensorFlow writes
# constants made of a number and a shape. Smaller ones are written whole: programs compare messages of short lists.
_COMPACT_FROM_BYTES = 1024


def _tensor_message(array: np.ndarray[Any, Any], dtype: Any = None) -> Any:
    if array.nbytes > _COMPACT_FROM_BYTES and _repeats_one_value(array):
        return tensor_content.make_tensor_proto(array.reshape(-1)[0], dtype=dtype or array.dtype, shape=array.shape)
    return tensor_content.make_tensor_proto(array, dtype=dtype)


def _repeats_one_value(array: np.ndarray[Any, Any]) -> bool:
    """Returns True if all elements have the same bits, and those of no NaN (whose bits a message's numbers may
    change).
    """
    if array.dtype.hasobject or array.dtype.names is not None:
        return False
    flat = array.reshape(-1)
    bits = flat.view(np.uint8).reshape(flat.size, flat.itemsize)
    if bits[0].tobytes() != bits[-1].tobytes() or flat[0] != flat[0]:
        return False
    rows = max(1, (1 << 20) // flat.itemsize)
    return all(bool((bits[i : i + rows] == bits[0]).all()) for i in range(0, len(bits), rows))


def _func_message(value: tuple[str, dict[str, Any]]) -> Any:
    name, attrs = value
    message = proto.NameAttrList(name=name)
    for key, (kind, item) in attrs.items():
        message.attr[key].CopyFrom(attr_to_message(kind, item))
    return message


def attr_to_message(kind: str, value: Any) -> Any:
    """Returns an AttrValue message of an attribute as the core gives it."""
    message = proto.AttrValue()
    if kind == "int":
        message.i = value
    elif kind == "float":
        message.f = value
    elif kind == "bool":
        message.b = value
    elif kind == "string":
        message.s = value
    elif kind == "type":
        message.type = value
    elif kind == "shape":
        message.shape.CopyFrom(_shape_message(value))
    elif kind == "tensor":
        message.tensor.CopyFrom(_tensor_message(value))
    elif kind == "func":
        message.func.CopyFrom(_func_message(value))
    else:
        message.list.SetInParent()
        if kind in _LIST_FIELDS:
            getattr(message.list, _LIST_FIELDS[kind]).extend(value)
        elif kind == "list(shape)":
            message.list.shape.extend(_shape_message(v) for v in value)
        elif kind == "list(tensor)":
            message.list.tensor.extend(_tensor_message(v) for v in value)
        elif kind == "list(func)":
            message.list.func.extend(_func_message(v) for v in value)
    return message


def attr_to_python(kind: str, value: Any) -> Any:
    """Returns the Python value of an attribute: DTypes, messages for shapes, tensors and functions, bytes for
    strings.
    """
    if kind == "type":
        return dtypes.as_dtype(value)
    if kind == "list(type)":
        return [dtypes.as_dtype(v) for v in value]
    if kind == "shape":
        return _shape_message(value)
    if kind == "list(shape)":
        return [_shape_message(v) for v in value]
    if kind == "tensor":
        return _tensor_message(value)
    if kind == "list(tensor)":
        return [_tensor_message(v) for v in value]
    if kind == "func":
        return _func_message(value)
    if kind == "list(func)":
        return [_func_message(v) for v in value]
    return value


def attr_from_message(value: Any) -> Any:
    """Returns a plain Python value of an AttrValue message; anything else is returned as it is."""
    which = getattr(value, "WhichOneof", None)
    if which is None:
        return value
    field = which("value")
    if field == "type":
        return dtypes.as_dtype(value.type)
    if field == "shape":
        return TensorShape(value.shape)
    if field == "tensor":
        return tensor_content.make_ndarray(value.tensor)
    if field == "func":
        return value.func.name
    if field == "list":
        items = value.list
        for name in ("i", "f", "b", "s"):
            if getattr(items, name):
                return list(getattr(items, name))
        if items.type:
            return [dtypes.as_dtype(t) for t in items.type]
        if items.shape:
            return [TensorShape(s) for s in items.shape]
        if items.tensor:
            return [tensor_content.make_ndarray(t) for t in items.tensor]
        return [f.name for f in items.func]
    if field is None:
        raise ValueError("the AttrValue message holds no value")
    return getattr(value, field)


def to_node_def(op: Operation) -> Any:
    """Returns the NodeDef message of an operation."""
    core = op._graph._core
    message = proto.NodeDef(name=op.name, op=op.type, device=op.device)
    message.input.extend(t._as_node_def_input() for t in op.inputs)
    message.input.extend(f"^{c.name}" for c in op.control_inputs)
    for name, (kind, value) in core.attrs(op._id).items():
        _fill_attr(message, core, op._id, name, kind, value)
    return message


def _fill_attr(message: Any, core: Any, node: int, name: str, kind: str, value: Any) -> None:
    if kind == "tensor":
        message.attr[name].tensor.CopyFrom(_tensor_message(value, _tensor_dtype(core, node)))
    else:
        message.attr[name].CopyFrom(attr_to_message(kind, value))


def fill_attr(message: Any, core: Any, node: int, name: str) -> None:
    """Writes one attribute of a node of a graph into its NodeDef message."""
    _fill_attr(message, core, node, name, *core.attr(node, name))


def _tensor_dtype(core: Any, node: int) -> Any:
    """Returns the dtype a Const declares: NumPy has one dtype for both qint8 and int8."""
    try:
        return dtypes.as_dtype(core.attr(node, "dtype")[1])
    except KeyError:
        return None


def to_op_def(op_type: str) -> Any:
    """Returns the OpDef message of an op type.

    Raises:
        tf.errors.NotFoundError: if the op is not registered.
    """
    info = op_schema(op_type)
    message = proto.OpDef(name=op_type, is_stateful=info["is_stateful"], is_commutative=info["is_commutative"])
    message.is_aggregate = info["is_aggregate"]
    for field, args in ((message.input_arg, info["inputs"]), (message.output_arg, info["outputs"])):
        for arg in args:
            entry = field.add(name=arg["name"], is_ref=arg["is_ref"])
            if "type" in arg:
                entry.type = arg["type"]
            elif arg["is_type_list"]:
                entry.type_list_attr = arg["type_attr"]
            else:
                entry.type_attr = arg["type_attr"]
            if arg["number_attr"]:
                entry.number_attr = arg["number_attr"]
    for attr in info["attrs"]:
        attr_def = message.attr.add(name=attr["name"], type=attr["type"])
        if attr["has_default"]:
            attr_def.default_value.CopyFrom(attr_to_message(attr["type"], attr["default"]))
        if attr["minimum"] is not None:
            attr_def.has_minimum = True
            attr_def.minimum = attr["minimum"]
        attr_def.allowed_values.list.type.extend(attr["allowed_types"])
        attr_def.allowed_values.list.s.extend(s.encode() for s in attr["allowed_strings"])
        if not attr["allowed_types"] and not attr["allowed_strings"]:
            attr_def.ClearField("allowed_values")
    return message
