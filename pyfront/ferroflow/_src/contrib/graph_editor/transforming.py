"""Copies of parts of graphs, into the same or another graph, with changes on the way."""

from __future__ import annotations

import copy as copying
from collections.abc import Callable, Mapping
from typing import Any

from ferroflow._src.contrib.graph_editor.elements import (
    ControlOutputs,
    flatten_tree,
    get_predefined_collection_names,
    make_placeholder_from_tensor,
    scope_finalize,
    transform_tree,
)
from ferroflow._src.contrib.graph_editor.rerouting import add_control_inputs
from ferroflow._src.contrib.graph_editor.selecting import get_walks_intersection_ops
from ferroflow._src.contrib.graph_editor.views import SubGraphView, make_view
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.internals.graph_walks import get_unique_graph


class _Copying:
    """State of one copy, which the handlers of a `Transformer` receive.

    Names end in an underscore where they are of the copy: `graph`, `scope` and `graph_`, `scope_`.
    """

    def __init__(self, sgv: SubGraphView, dst_graph: Graph, dst_scope: str, src_scope: str) -> None:
        if sgv.graph is None:
            raise ValueError("The view is empty: there is nothing to copy.")
        self.sgv = sgv
        self.sgv_inputs_set = frozenset(sgv.inputs)
        self.ops = frozenset(sgv.ops)
        self.graph = sgv.graph
        self.scope = src_scope
        self.graph_ = dst_graph
        self.scope_ = dst_scope
        self.control_outputs = ControlOutputs(sgv.graph)
        self.transformed_ops: dict[Operation, Operation] = {}
        self.transformed_ts: dict[Tensor, Tensor] = {}
        self.collections = {key: self.graph.get_collection(key) for key in self.graph.get_all_collection_keys()}
        self.transform_original_op_handler = transform_op_if_inside_handler
        # (tensor of a loop that was not copied yet, its substitute, the operation that reads it)
        self.tmp_cyclic_ts: list[tuple[Tensor, Tensor, Operation]] = []

    def new_name(self, name: str) -> str:
        """Returns the name of a copy."""
        if not name.startswith(self.scope):
            raise ValueError(f"{name} does not belong to source scope: {self.scope}.")
        return self.scope_ + name[len(self.scope) :]


def replace_t_with_placeholder_handler(info: Any, t: Tensor) -> Tensor:
    """Makes a placeholder for a tensor, in the copy's graph.

    Args:
        info: state of the copy.
        t: Tensor.

    Returns:
        Tensor of `t`'s dtype and shape.
    """
    with info.graph_.as_default():
        return make_placeholder_from_tensor(t, scope=info.scope_)


def keep_t_if_possible_handler(info: Any, t: Tensor) -> Tensor:
    """Returns a tensor itself if the copy is in the same graph, otherwise a placeholder.

    Args:
        info: state of the copy.
        t: Tensor.

    Returns:
        Tensor of `t`'s dtype and shape.
    """
    return t if info.graph is info.graph_ else replace_t_with_placeholder_handler(info, t)


def assign_renamed_collections_handler(info: Any, elem: Any, elem_: Any) -> None:
    """Adds a copy to the collections of its original; collections that are not in `tf.GraphKeys` are renamed.

    Args:
        info: state of the copy.
        elem: Operation or Tensor.
        elem_: its copy.
    """
    known = get_predefined_collection_names()
    for name, collection in info.collections.items():
        if any(item is elem for item in collection):
            info.graph_.add_to_collection(name if name in known else info.new_name(name), elem_)


def transform_op_if_inside_handler(info: Any, op: Operation, keep_if_possible: bool = True) -> Operation | None:
    """Returns the copy of an operation of the view.

    Args:
        info: state of the copy.
        op: Operation.
        keep_if_possible: bool. If True, an operation outside the view stands for itself in the same graph.

    Returns:
        Operation, or None if it has no counterpart.
    """
    if op in info.ops:
        copied: Operation = info.transformed_ops[op]
        return copied
    return op if keep_if_possible and info.graph is info.graph_ else None


def copy_op_handler(
    info: Any,
    op: Operation,
    new_inputs: list[Tensor],
    copy_shape: bool = True,
    nodedef_fn: Callable[[Any], Any] | None = None,
) -> tuple[Operation, list[Tensor]]:
    """Copies an operation.

    Args:
        info: state of the copy.
        op: Operation.
        new_inputs: Tensors that the copy reads.
        copy_shape: bool. If True, the copy's outputs get the shapes of the original's.
        nodedef_fn: function that changes and returns the copy's NodeDef, or None.

    Returns:
        (Operation, its outputs).

    Raises:
        TypeError: if `new_inputs` is a bool.
    """
    if isinstance(new_inputs, bool):
        raise TypeError("the `new_inputs` argument must be an iterable.")
    message = copying.deepcopy(op.node_def)
    message.name = info.graph_.unique_name(info.new_name(op.name))
    if nodedef_fn is not None:
        message = nodedef_fn(message)
    made = Operation(
        message, info.graph_, list(new_inputs), op._output_types, [], op._input_types, op._original_op, op.op_def
    )
    if copy_shape:
        for output, original in zip(made.outputs, op.outputs, strict=True):
            output.set_shape(original.shape)
    return made, made.outputs


class TransformerInfo:
    """The copies of the operations and tensors of a view."""

    def __init__(self, info: Any) -> None:
        self._graph = info.graph
        self._scope = info.scope
        self._graph_ = info.graph_
        self._scope_ = info.scope_
        self._transformed_ops = info.transformed_ops
        self._transformed_ts = info.transformed_ts

    def _map(self, element: Any) -> dict[Any, Any]:
        if isinstance(element, (Operation, Tensor)):
            found: dict[Any, Any] = self._transformed_ops if isinstance(element, Operation) else self._transformed_ts
            return found
        if isinstance(element, str):
            named: dict[Any, Any] = self._transformed_ts if ":" in element else self._transformed_ops
            return named
        raise TypeError(f"Expected a tf.Tensor or a tf.Operation, got a {type(element)}")

    @staticmethod
    def _found(table: Mapping[Any, Any], element: Any, missing_fn: Callable[[Any], Any] | None) -> Any:
        if isinstance(element, str):
            element = next((known for known in table if known.name == element), element)
        if element in table:
            return table[element]
        return None if missing_fn is None else missing_fn(element)

    def transformed(self, original: Any, missing_fn: Callable[[Any], Any] | None = None) -> Any:
        """Returns the copies of operations and tensors.

        Args:
            original: nested structure of Operations, Tensors, or their names.
            missing_fn: function for what has no copy; None to get None.

        Returns:
            The same structure.
        """
        return transform_tree(original, lambda element: self._found(self._map(element), element, missing_fn))

    def original(self, transformed: Any, missing_fn: Callable[[Any], Any] | None = None) -> Any:
        """Returns the originals of copied operations and tensors.

        Args:
            transformed: nested structure of Operations, Tensors, or their names.
            missing_fn: function for what has no original; None to get None.

        Returns:
            The same structure.
        """

        def find(element: Any) -> Any:
            reverse = {copied: source for source, copied in self._map(element).items()}
            return self._found(reverse, element, missing_fn)

        return transform_tree(transformed, find)

    def __str__(self) -> str:
        lines = ["Transform result info:"]
        if self._graph is self._graph_:
            lines.append(f"  Within graph[{id(self._graph)}]{'' if self._scope_ else ' IN-PLACE'}")
        else:
            lines.append(f"  graph[{id(self._graph)}] => graph[{id(self._graph_)}]")
        lines += [f"  Relative to source scope: {self._scope}"] if self._scope else []
        lines += [f"  Scope destination: {self._scope_}"] if self._scope_ else []
        lines.append("Operations mapping:")
        lines += [f"  {op.name} => {copied.name}" for op, copied in self._transformed_ops.items()]
        return "\n".join([*lines, ""])


class Transformer:
    """Copies a view; its handlers, which are attributes, decide what becomes of each part.

    `transform_op_handler(info, op, new_inputs)` copies an operation and returns it with its outputs.
    `transform_control_input_handler(info, op)` returns the control input that stands for one.
    `assign_collections_handler(info, elem, elem_)` adds a copy to collections.
    `transform_external_input_handler(info, t)` returns what stands for an input of the view, by default a placeholder.
    `transform_external_hidden_input_handler(info, t)` does so for a tensor from outside that is no input of the view.
    `transform_original_op_handler(info, op)` returns the operation that stands for one whose gradient another is.
    """

    def __init__(self) -> None:
        self.transform_op_handler: Callable[..., Any] = copy_op_handler
        self.transform_control_input_handler: Callable[..., Any] = transform_op_if_inside_handler
        self.assign_collections_handler: Callable[..., Any] = assign_renamed_collections_handler
        self.transform_external_input_handler: Callable[..., Any] = replace_t_with_placeholder_handler
        self.transform_external_hidden_input_handler: Callable[..., Any] = keep_t_if_possible_handler
        self.transform_original_op_handler: Callable[..., Any] = transform_op_if_inside_handler

    def __call__(
        self, sgv: Any, dst_graph: Graph, dst_scope: str, src_scope: str = "", reuse_dst_scope: bool = False
    ) -> tuple[SubGraphView, TransformerInfo]:
        """Copies a view.

        Args:
            sgv: `SubGraphView`, or what `make_view` takes.
            dst_graph: `tf.Graph` of the copy.
            dst_scope: str, the scope of the copy.
            src_scope: str, the scope that names are relative to.
            reuse_dst_scope: bool. If False, a scope that exists gets a number.

        Returns:
            (`SubGraphView` of the copy, `TransformerInfo`).

        Raises:
            TypeError: if `dst_graph` is no graph.
            ValueError: if a name is outside `src_scope`, or an operation stands for itself.
        """
        view = make_view(sgv)
        if not isinstance(dst_graph, Graph):
            raise TypeError(f"Expected a tf.Graph, got: {type(dst_graph)}")
        scope = scope_finalize(dst_scope)
        if scope and not reuse_dst_scope:
            scope = scope_finalize(dst_graph.unique_name(scope[:-1]))
        info = _Copying(view, dst_graph, scope, scope_finalize(src_scope))
        self._copy_ops(info)
        self._close_cycles(info)
        self._connect(info)
        return self._view_of_copy(info), TransformerInfo(info)

    def _copy_ops(self, info: _Copying) -> None:
        for op in sorted(info.sgv.ops, key=lambda op: op._id):
            inputs = [self._transformed_t(info, t, op) for t in op.inputs]
            copied, outputs = self.transform_op_handler(info, op, inputs)
            if copied is op:
                raise ValueError("In-place transformation not allowed.")
            info.transformed_ops[op] = copied
            self.assign_collections_handler(info, op, copied)
            for output, output_ in zip(op.outputs, outputs, strict=False):
                info.transformed_ts[output] = output_
                self.assign_collections_handler(info, output, output_)

    def _transformed_t(self, info: _Copying, t: Tensor, reader: Operation) -> Any:
        if t in info.transformed_ts:
            return info.transformed_ts[t]
        if t in info.sgv_inputs_set:
            return self.transform_external_input_handler(info, t)
        if t.op not in info.ops:
            return self.transform_external_hidden_input_handler(info, t)
        # A loop reads what its body makes later. Until that is copied, something of its dtype stands for it.
        if reader.type == "Merge" and t is not reader.inputs[0]:
            substitute = self._transformed_t(info, reader.inputs[0], reader)
        elif t.op.type == "Enter":
            substitute = self._transformed_t(info, t.op.inputs[0], reader)
        else:
            with info.graph_.as_default():
                substitute = make_placeholder_from_tensor(t, scope=info.scope_, prefix="geph_tmp")
        info.tmp_cyclic_ts.append((t, substitute, reader))
        return substitute

    def _close_cycles(self, info: _Copying) -> None:
        for t, _, reader in info.tmp_cyclic_ts:
            for index, read in enumerate(reader.inputs):
                if read is t:
                    info.transformed_ops[reader]._update_input(index, info.transformed_ts[t])

    def _connect(self, info: _Copying) -> None:
        for op in info.sgv.ops:
            copied = info.transformed_ops[op]
            if op._original_op is not None:
                original = self.transform_original_op_handler(info, op._original_op)
                if original is not None:
                    copied._original_op = original
            controls = [self.transform_control_input_handler(info, before) for before in op.control_inputs]
            present = copied.control_inputs
            add_control_inputs(copied, [c for c in dict.fromkeys(controls) if c is not None and c not in present])

    @staticmethod
    def _view_of_copy(info: _Copying) -> SubGraphView:
        view = SubGraphView(list(info.transformed_ops.values()))
        inputs = [info.transformed_ts.get(t) for t in info.sgv.inputs]
        outputs = [info.transformed_ts.get(t) for t in info.sgv.outputs]
        return view.remap([t for t in inputs if t in view.inputs], [t for t in outputs if t in view.outputs])


def _copied(
    copier: Transformer, sgv: Any, dst_graph: Any, dst_scope: str, src_scope: str, reuse_dst_scope: bool
) -> tuple[SubGraphView, TransformerInfo]:
    view = make_view(sgv)
    graph = view.graph if dst_graph is None else dst_graph
    if not isinstance(graph, Graph):
        raise TypeError(f"Expected a tf.Graph, got: {type(graph)}")
    return copier(view, graph, dst_scope, src_scope, reuse_dst_scope=reuse_dst_scope)


def copy(
    sgv: Any, dst_graph: Graph | None = None, dst_scope: str = "", src_scope: str = "", reuse_dst_scope: bool = False
) -> tuple[SubGraphView, TransformerInfo]:
    """Copies a view; placeholders stand for its inputs.

    Args:
        sgv: `SubGraphView`, or what `make_view` takes.
        dst_graph: `tf.Graph` of the copy; None for the view's.
        dst_scope: str, the scope of the copy.
        src_scope: str, the scope that names are relative to.
        reuse_dst_scope: bool. If False, a scope that exists gets a number.

    Returns:
        (`SubGraphView` of the copy, `TransformerInfo`).

    Raises:
        TypeError: if `dst_graph` is no graph.
        ValueError: if a name is outside `src_scope`.
    """
    return _copied(Transformer(), sgv, dst_graph, dst_scope, src_scope, reuse_dst_scope)


def copy_with_input_replacements(
    sgv: Any,
    replacement_ts: Mapping[Tensor, Tensor],
    dst_graph: Graph | None = None,
    dst_scope: str = "",
    src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> tuple[SubGraphView, TransformerInfo]:
    """Copies a view with other inputs.

    Args:
        sgv: `SubGraphView`, or what `make_view` takes.
        replacement_ts: dict from inputs of the view to the Tensors that the copy reads instead.
        dst_graph: `tf.Graph` of the copy; None for the view's.
        dst_scope: str, the scope of the copy.
        src_scope: str, the scope that names are relative to.
        reuse_dst_scope: bool. If False, a scope that exists gets a number.

    Returns:
        (`SubGraphView` of the copy, `TransformerInfo`).

    Raises:
        TypeError: if `dst_graph` is no graph.
        ValueError: if a name is outside `src_scope`.
    """
    copier = Transformer()
    copier.transform_external_input_handler = lambda info, t: (
        replacement_ts[t] if t in replacement_ts else keep_t_if_possible_handler(info, t)
    )
    return _copied(copier, sgv, dst_graph, dst_scope, src_scope, reuse_dst_scope)


def _whole_loops(ops: list[Operation], control_ios: ControlOutputs) -> list[Operation]:
    """Returns operations and all others of the loops that they belong to; half a loop does not run."""
    contexts = dict.fromkeys(op._get_control_flow_context() for op in ops)
    loops = [context for context in contexts if context is not None and context.IsWhileContext()]
    found = dict.fromkeys(ops)
    for loop in loops:
        enters, exits = [t.op for t in loop.loop_enters], [t.op for t in loop.loop_exits]
        found.update(dict.fromkeys(get_walks_intersection_ops(enters, exits, control_ios=control_ios)))
    return list(found)


def graph_replace(
    target_ts: Any,
    replacement_ts: Mapping[Tensor, Tensor],
    dst_scope: str = "",
    src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> Any:
    """Computes tensors again from replaced ones, in the same graph.

    Args:
        target_ts: nested structure of Tensors.
        replacement_ts: dict from Tensors to the Tensors that replace them.
        dst_scope: str, the scope of the new operations.
        src_scope: str, the scope that names are relative to.
        reuse_dst_scope: bool. If False, a scope that exists gets a number.

    Returns:
        The structure of `target_ts`; Tensors that do not depend on replaced ones are the given ones.

    Raises:
        ValueError: if no target depends on a replaced tensor.
    """
    targets = flatten_tree(target_ts)
    control_ios = ControlOutputs(get_unique_graph(targets, check_types=(Tensor,)))
    ops = get_walks_intersection_ops(list(replacement_ts), targets, control_ios=control_ios)
    if not ops:
        raise ValueError("Targets and replacements are not connected!")
    whole = _whole_loops(ops, control_ios)
    _, info = copy_with_input_replacements(whole, replacement_ts, None, dst_scope, src_scope, reuse_dst_scope)
    return info.transformed(target_ts, lambda original: original)
