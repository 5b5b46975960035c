"""Lists, nested structures, names and placeholders that the graph editor works with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from ferroflow._src.base.typing import DTypeLike, ShapeLike
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.internals.graph_walks import is_iterable
from ferroflow._src.ops.array.making import placeholder

_PREFIX: Final = "geph"


class ListView(Sequence[Any]):
    """List that cannot be changed."""

    def __init__(self, list_: list[Any]) -> None:
        if not isinstance(list_, list):
            raise TypeError(f"Expected a list, got: {type(list_)}.")
        self._list = list_

    def __iter__(self) -> Iterator[Any]:
        return iter(self._list)

    def __len__(self) -> int:
        return len(self._list)

    def __getitem__(self, i: Any) -> Any:
        return self._list[i]

    def __add__(self, other: Iterable[Any]) -> list[Any]:
        return [*self._list, *other]


def concatenate_unique(la: list[Any], lb: Iterable[Any]) -> list[Any]:
    """Appends to a list what it does not contain yet.

    Args:
        la: list, changed in place.
        lb: iterable.

    Returns:
        `la`.
    """
    present = set(la)
    for item in lb:
        if item not in present:
            present.add(item)
            la.append(item)
    return la


def flatten_tree(tree: Any, leaves: list[Any] | None = None) -> list[Any]:
    """Returns the leaves of nested iterables and dicts.

    Args:
        tree: nested structure.
        leaves: list to append to; None for a new one.

    Returns:
        list.
    """
    found = [] if leaves is None else leaves
    if is_iterable(tree):
        for child in tree.values() if isinstance(tree, Mapping) else tree:
            flatten_tree(child, found)
    else:
        found.append(tree)
    return found


def transform_tree(tree: Any, fn: Callable[[Any], Any], iterable_type: type = tuple) -> Any:
    """Applies a function to the leaves of nested iterables and dicts.

    Args:
        tree: nested structure.
        fn: function of a leaf.
        iterable_type: class that replaces iterables other than dicts and sequences.

    Returns:
        A structure of the same classes.
    """
    if not is_iterable(tree):
        return fn(tree)
    if isinstance(tree, Mapping):
        return type(tree)((key, transform_tree(child, fn)) for key, child in tree.items())  # type: ignore[call-arg]  # a mapping is made from pairs
    children = [transform_tree(child, fn) for child in tree]
    if hasattr(tree, "_fields"):  # a named tuple
        return type(tree)(*children)
    return type(tree)(children) if isinstance(tree, Sequence) else iterable_type(children)  # type: ignore[call-arg]  # made from a list


class ControlOutputs:
    """The operations behind the control edges of each operation of a graph."""

    def __init__(self, graph: Graph) -> None:
        if not isinstance(graph, Graph):
            raise TypeError(f"Expected a tf.Graph, got: {type(graph)}")
        self._graph = graph

    @property
    def graph(self) -> Graph:
        """The graph."""
        return self._graph

    def update(self) -> ControlOutputs:
        """Returns the object; the graph itself is read at each use."""
        return self

    def get_all(self) -> dict[Operation, list[Operation]]:
        """Returns a dict from each operation with control outputs to these."""
        return {op: op._control_outputs for op in self._graph.get_operations() if op._control_outputs}

    def get(self, op: Operation) -> Sequence[Operation]:
        """Returns the operations that have an operation as a control input.

        Args:
            op: Operation.

        Returns:
            Sequence of Operations.
        """
        return op._control_outputs if op.graph is self._graph else ()


def scope_finalize(scope: str) -> str:
    """Returns a scope's name with a final slash; the root stays empty."""
    return f"{scope}/" if scope and not scope.endswith("/") else scope


def scope_dirname(scope: str) -> str:
    """Returns the part of a name up to its last slash."""
    return "".join(scope.rpartition("/")[:2])


def scope_basename(scope: str) -> str:
    """Returns the part of a name after its last slash."""
    return scope.rpartition("/")[2]


def placeholder_name(t: Tensor | None = None, scope: str | None = None, prefix: str = _PREFIX) -> str:
    """Returns a placeholder's name, such as `foo/geph__b_0` for `foo/b:0`.

    Args:
        t: Tensor that the placeholder replaces, or None.
        scope: str, the placeholder's scope; None for the scope of `t`.
        prefix: str, the start of the name in its scope.

    Returns:
        str.

    Raises:
        TypeError: if `t` is neither None nor a Tensor.
    """
    if t is None:
        return f"{scope_finalize(scope or '')}{prefix}"
    if not isinstance(t, Tensor):
        raise TypeError(f"Expected a tf.Tensor, got: {type(t)}")
    base = scope_basename(t.op.name)
    name = base if base.startswith(f"{prefix}__") else f"{prefix}__{base}_{t.value_index}"
    return (scope_dirname(t.op.name) if scope is None else scope_finalize(scope)) + name


def make_placeholder_from_tensor(t: Tensor, scope: str | None = None, prefix: str = _PREFIX) -> Tensor:
    """Makes a placeholder with the dtype and shape of a tensor.

    Args:
        t: Tensor.
        scope: str, the placeholder's scope; None for the scope of `t`.
        prefix: str, the start of the name in its scope.

    Returns:
        Tensor of `t`'s dtype and shape.
    """
    return placeholder(t.dtype.base_dtype, t.shape, name=placeholder_name(t, scope=scope, prefix=prefix))


def make_placeholder_from_dtype_and_shape(
    dtype: DTypeLike, shape: ShapeLike | None = None, scope: str | None = None, prefix: str = _PREFIX
) -> Tensor:
    """Makes a placeholder.

    Args:
        dtype: DType.
        shape: shape, or None.
        scope: str, the placeholder's scope; None for the root.
        prefix: str, the name in the scope.

    Returns:
        Tensor of `dtype` and `shape`.
    """
    return placeholder(dtype, shape, name=placeholder_name(scope=scope, prefix=prefix))


ph = make_placeholder_from_dtype_and_shape


def get_predefined_collection_names() -> list[str]:
    """Returns the values of `tf.GraphKeys`."""
    return [getattr(GraphKeys, key) for key in dir(GraphKeys) if not key.startswith("__")]


def find_corresponding_elem(target: Any, dst_graph: Graph, dst_scope: str = "", src_scope: str = "") -> Any:
    """Returns the operation or tensor of another graph that has a corresponding name.

    Args:
        target: Operation or Tensor.
        dst_graph: `tf.Graph` to search.
        dst_scope: str, the scope in which to search.
        src_scope: str, the scope that the name is relative to.

    Returns:
        Operation or Tensor.

    Raises:
        ValueError: if the name does not start with `src_scope`.
        TypeError: if `target` is neither an Operation nor a Tensor.
        KeyError: if there is none.
    """
    start = scope_finalize(src_scope)
    if not target.name.startswith(start):
        raise ValueError(f"{target.name} does not start with {start}")
    name = scope_finalize(dst_scope) + target.name[len(start) :]
    if isinstance(target, Tensor):
        return dst_graph.get_tensor_by_name(name)
    if isinstance(target, Operation):
        return dst_graph.get_operation_by_name(name)
    raise TypeError(f"Expected tf.Tensor or tf.Operation, got: {type(target)}")


def find_corresponding(targets: Any, dst_graph: Graph, dst_scope: str = "", src_scope: str = "") -> Any:
    """Returns the operations and tensors of another graph that have corresponding names.

    Args:
        targets: nested structure of Operations and Tensors.
        dst_graph: `tf.Graph` to search.
        dst_scope: str, the scope in which to search.
        src_scope: str, the scope that the names are relative to.

    Returns:
        The same structure.

    Raises:
        ValueError: if a name does not start with `src_scope`.
        KeyError: if one has no correspondent.
    """
    return transform_tree(targets, lambda target: find_corresponding_elem(target, dst_graph, dst_scope, src_scope))
