"""`tensorflow.python.framework.ops`: the names besides the public ones that libraries import from there."""

from __future__ import annotations

import abc
import itertools
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any

from ferroflow._src.base.behavior import disable_tensor_equality, enable_eager_execution, executing_eagerly
from ferroflow._src.base.typing import DTypeLike, TensorLike
from ferroflow._src.framework import default_stacks
from ferroflow._src.framework.composite import IndexedSlices, SparseTensor, convert_to_tensor_or_sparse_tensor
from ferroflow._src.framework.conversion import convert_n_to_tensor, convert_to_tensor
from ferroflow._src.framework.default_graph import (
    colocate_with as _colocate_with,
    get_default_graph,
    graph_of as _get_graph_from_inputs,
    name_scope,
)
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.scope_names import prepend_name_scope, strip_name_scope
from ferroflow._src.variables.variable import Variable

__all__ = [
    "_USE_C_API",
    "EagerTensor",
    "NullContextmanager",
    "RegisterShape",
    "_TensorLike",
    "_as_graph_element",
    "_assert_same_graph",
    "_colocate_with",
    "_colocate_with_for_gradient",
    "_default_graph_stack",
    "_default_session_stack",
    "_eval_using_default_session",
    "_get_graph_from_inputs",
    "_run_using_default_session",
    "convert_n_to_tensor",
    "convert_to_tensor_or_composite",
    "convert_to_tensor_v2",
    "disable_tensor_equality",
    "enable_eager_execution",
    "executing_eagerly_outside_functions",
    "get_name_scope",
    "has_default_graph",
    "inside_function",
    "internal_convert_n_to_tensor",
    "internal_convert_to_tensor",
    "is_dense_tensor_like",
    "name_from_scope_name",
    "name_scope_v2",
    "prepend_name_scope",
    "register_dense_tensor_like_type",
    "set_shapes_for_outputs",
    "strip_name_scope",
    "tensor_id",
    "uid",
]

# Tests and libraries of 1.7 to 1.9 read it; the graph is the engine's, as TensorFlow's is the C API's.
_USE_C_API = True
_default_graph_stack = default_stacks.default_graph_stack
_default_session_stack = default_stacks.default_session_stack
internal_convert_to_tensor = convert_to_tensor
internal_convert_n_to_tensor = convert_n_to_tensor
convert_to_tensor_or_composite = convert_to_tensor_or_sparse_tensor
executing_eagerly_outside_functions = executing_eagerly
_uids = itertools.count()
_dense_types: list[type] = [Tensor, Variable]


class _TensorLike(abc.ABC):  # noqa: B024  # for `isinstance` alone
    """The base class of `Tensor`, `SparseTensor` and `IndexedSlices` in TensorFlow, for `isinstance`."""


for _kind in (Tensor, SparseTensor, IndexedSlices):
    _TensorLike.register(_kind)


class EagerTensor(abc.ABC):  # noqa: B024  # for `isinstance` alone
    """The class of values of eager execution, for `isinstance`: nothing here is one."""


class NullContextmanager:
    """A context manager that does nothing.

    Args:
        *args: not used.
        **kwargs: not used.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __enter__(self) -> None:
        """Does nothing."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Lets errors pass."""


class RegisterShape:
    """A decorator for shape functions of ops; the engine's own shape rules decide.

    Args:
        op_type: str.

    Raises:
        TypeError: if `op_type` is not a str.
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")

    def __call__(self, f: Any) -> Any:
        """Returns `f`."""
        return f


def is_dense_tensor_like(t: object) -> bool:
    """Returns True for a Tensor, a Variable and the types given to `register_dense_tensor_like_type`.

    Args:
        t: any object.

    Returns:
        bool.
    """
    return isinstance(t, tuple(_dense_types))


def register_dense_tensor_like_type(tensor_type: type) -> None:
    """Makes `is_dense_tensor_like` True for the objects of a class.

    Args:
        tensor_type: class with the properties `name` and `dtype`.

    Raises:
        TypeError: if it lacks one of them.
    """
    for name in ("name", "dtype"):
        if not isinstance(getattr(tensor_type, name, None), property):
            raise TypeError(f"Type {tensor_type.__name__} does not define a `{name}` property")
    _dense_types.append(tensor_type)


def _as_graph_element(obj: Any) -> Any:
    """Returns the Tensor or Operation that an object stands for; None if it stands for none."""
    convert: Callable[[], Any] | None = getattr(obj, "_as_graph_element", None)
    return convert() if convert is not None else None


def _assert_same_graph(original_item: Any, item: Any) -> None:
    """Raises ValueError if two elements belong to different graphs."""
    if original_item.graph is not item.graph:
        raise ValueError(f"{item} must be from the same graph as {original_item}.")


def _colocate_with_for_gradient(op: Any, gradient_uid: Any, ignore_existing: bool = False) -> Any:
    """Opens the scope of `tf.colocate_with`."""
    return _colocate_with(op, ignore_existing)


def _eval_using_default_session(tensors: Any, feed_dict: Any, graph: Graph, session: Any = None) -> Any:
    """Returns the values of tensors in a session, by default the default one."""
    return _session(graph, session).run(tensors, feed_dict)


def _run_using_default_session(operation: Operation, feed_dict: Any, graph: Graph, session: Any = None) -> None:
    """Runs an operation in a session, by default the default one."""
    _session(graph, session).run(operation, feed_dict)


def _session(graph: Graph, session: Any) -> Any:
    chosen = session or default_stacks.get_default_session()
    if chosen is None:
        raise ValueError("Cannot run without a session: No default session is registered.")
    if chosen.graph is not graph:
        raise ValueError("The session's graph is different from the graph of the fetches.")
    return chosen


def convert_to_tensor_v2(
    value: TensorLike, dtype: DTypeLike | None = None, dtype_hint: DTypeLike | None = None, name: str | None = None
) -> Tensor:
    """Converts a value, as `tf.convert_to_tensor` of TensorFlow 2.

    Args:
        value: Tensor, array, number, str or nested list, of any dtype and shape.
        dtype: the dtype of the result; None for that of the value.
        dtype_hint: the dtype that is tried first.
        name: str.

    Returns:
        Tensor of `dtype` and of the value's shape.
    """
    return convert_to_tensor(value, dtype=dtype, preferred_dtype=dtype_hint, name=name)


def get_name_scope() -> str:
    """Returns the name scope of the default graph, a str without a slash at its end."""
    return get_default_graph().get_name_scope()


def has_default_graph() -> bool:
    """Returns True if a graph was made the default one by `as_default`."""
    return len(_default_graph_stack.stack) >= 1


def inside_function() -> bool:
    """Returns True while the body of a function is built."""
    return bool(get_default_graph().building_function)


def name_from_scope_name(name: str) -> str:
    """Returns the name of an operation, given that of a scope, which may end with a slash."""
    return name.removesuffix("/")


class name_scope_v2(name_scope):  # noqa: N801  # TensorFlow's spelling
    """`tf.name_scope` of TensorFlow 2.

    Args:
        name: str.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)


def tensor_id(tensor: TensorLike) -> int:
    """Returns a number that belongs to a tensor alone."""
    return id(tensor)


def uid() -> int:
    """Returns an int that no earlier call returned."""
    return next(_uids)


def dismantle_graph(graph: Graph) -> None:
    """Does nothing: a graph is freed with its last reference.

    Args:
        graph: `tf.Graph`.
    """


def convert_n_to_tensor_or_composite(
    values: Iterable[Any], dtype: DTypeLike | None = None, name: str | None = None
) -> list[Any]:
    """Converts values to Tensors; a SparseTensor stays what it is.

    Args:
        values: iterable of Tensors, arrays, numbers or SparseTensors, of any dtype and shape.
        dtype: the dtype of the results; None for those of the values.
        name: str, what their names begin with.

    Returns:
        list of Tensor and SparseTensor.
    """
    names = (None if name is None else f"{name}_{i}" for i in itertools.count())
    return [convert_to_tensor_or_composite(v, dtype, n) for v, n in zip(values, names, strict=False)]


__all__ += ["convert_n_to_tensor_or_composite", "dismantle_graph"]


def set_shapes_for_outputs(op: Operation) -> None:
    """Checks that an argument is an operation: its outputs have their shapes since it was made.

    Args:
        op: Operation.

    Raises:
        TypeError: if `op` is not an Operation.
    """
    if not isinstance(op, Operation):
        raise TypeError(f"op needs to be an Operation: {op}")
