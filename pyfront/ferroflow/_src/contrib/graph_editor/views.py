"""Views of a part of a graph: its operations, and the tensors that count as its inputs and outputs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ferroflow._src.contrib.graph_editor.elements import ListView, concatenate_unique
from ferroflow._src.contrib.graph_editor.selecting import (
    compute_boundary_ts,
    get_name_scope_ops,
    get_walks_union_ops,
    select_ops_and_ts,
)
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.internals.graph_walks import get_unique_graph, make_list_of_op, make_list_of_t


def _chosen(indices: Iterable[Any], tensors: list[Tensor], may_repeat: bool) -> list[Tensor]:
    """Returns the tensors at indices, or those that are given themselves."""
    numbers = [index if isinstance(index, int) else tensors.index(index) for index in indices]
    for number in numbers:
        if not 0 <= number < len(tensors):
            raise ValueError(f"Out of [0, {len(tensors)}[ range: {number}")
    if not may_repeat and len(set(numbers)) != len(numbers):
        raise ValueError(f"Found repetition in mapping: {numbers}")
    return [tensors[number] for number in numbers]


class SubGraphView:
    """A part of a graph as a function of its inputs.

    By default, the inputs are the tensors from outside that its operations read, and the outputs those that are not
    only read inside; a tensor that passes through is both. A view can be remapped to fewer inputs, or to outputs in
    another order; the graph does not change by that.
    """

    def __init__(self, inside_ops: Any = (), passthrough_ts: Any = ()) -> None:
        self._ops: list[Operation] = make_list_of_op(inside_ops)
        given: list[Tensor] = make_list_of_t(passthrough_ts)
        self._graph: Graph | None = get_unique_graph([*self._ops, *given], none_if_empty=True)
        inputs, outputs, inside = compute_boundary_ts(self._ops)
        touched = {*inputs, *outputs, *inside}
        self._passthrough_ts = [t for t in given if t not in touched]
        self._input_ts = [*inputs, *self._passthrough_ts]
        self._output_ts = [*outputs, *self._passthrough_ts]

    def __copy__(self) -> SubGraphView:
        made = self.__class__.__new__(self.__class__)
        made._assign_from(self)
        return made

    def copy(self) -> SubGraphView:
        """Returns another view with the same operations, inputs and outputs."""
        return self.__copy__()

    def _assign_from(self, other: SubGraphView) -> None:
        if not isinstance(other, SubGraphView):
            raise TypeError(f"Expected SubGraphView, got: {type(other)}")
        self._graph = other._graph
        self._ops = list(other._ops)
        self._passthrough_ts = list(other._passthrough_ts)
        self._input_ts = list(other._input_ts)
        self._output_ts = list(other._output_ts)

    def remap_default(self, remove_input_map: bool = True, remove_output_map: bool = True) -> SubGraphView:
        """Returns a view with the default inputs and outputs.

        Args:
            remove_input_map: bool. If False, the inputs stay.
            remove_output_map: bool. If False, the outputs stay.

        Returns:
            `SubGraphView`.
        """
        view = self.copy()
        inputs, outputs, _ = compute_boundary_ts(view._ops)
        if remove_input_map:
            view._input_ts = [*inputs, *view._passthrough_ts]
        if remove_output_map:
            view._output_ts = [*outputs, *view._passthrough_ts]
        return view

    def remap_inputs(self, new_input_indices: Sequence[Any]) -> SubGraphView:
        """Returns a view with some of the inputs, in another order.

        Args:
            new_input_indices: ints, or input Tensors; none twice.

        Returns:
            `SubGraphView`.

        Raises:
            ValueError: if an index is outside the inputs, or comes twice.
        """
        return self.remap(new_input_indices)

    def remap_outputs(self, new_output_indices: Sequence[Any]) -> SubGraphView:
        """Returns a view with some of the outputs, in another order.

        Args:
            new_output_indices: ints, or output Tensors.

        Returns:
            `SubGraphView`.

        Raises:
            ValueError: if an index is outside the outputs.
        """
        return self.remap(None, new_output_indices)

    def remap(
        self, new_input_indices: Sequence[Any] | None = None, new_output_indices: Sequence[Any] | None = None
    ) -> SubGraphView:
        """Returns a view with some of the inputs and outputs, in another order.

        Args:
            new_input_indices: ints, or input Tensors, none twice; None for the present inputs.
            new_output_indices: ints, or output Tensors; None for the present outputs.

        Returns:
            `SubGraphView`.

        Raises:
            ValueError: if an index is outside the inputs or outputs, or an input comes twice.
        """
        view = self.copy()
        if new_input_indices is not None:
            view._input_ts = _chosen(new_input_indices, view._input_ts, may_repeat=False)
        if new_output_indices is not None:
            view._output_ts = _chosen(new_output_indices, view._output_ts, may_repeat=True)
        return view

    def remap_outputs_make_unique(self) -> SubGraphView:
        """Returns a view that has each output once."""
        view = self.copy()
        view._output_ts = list(dict.fromkeys(view._output_ts))
        return view

    def remap_outputs_to_consumers(self) -> SubGraphView:
        """Returns a view that has each output as often as operations read it."""
        view = self.remap_outputs_make_unique()
        view._output_ts = [t for t in view._output_ts for _ in t.consumers()]
        return view

    def remove_unused_ops(self, control_inputs: bool = True) -> SubGraphView:
        """Returns a view without the operations that are connected to no input and no output.

        Args:
            control_inputs: bool. If True, control edges connect, too.

        Returns:
            `SubGraphView`.
        """
        view = self.copy()
        used = set(
            get_walks_union_ops(
                view.connected_inputs, view.connected_outputs, within_ops=view._ops, control_inputs=control_inputs
            )
        )
        view._ops = [op for op in view._ops if op in used]
        return view

    def find_op_by_name(self, op_name: str) -> Operation:
        """Returns the operation of a name.

        Args:
            op_name: str.

        Returns:
            Operation.

        Raises:
            ValueError: if the view has none.
        """
        for op in self._ops:
            if op.name == op_name:
                return op
        raise ValueError(f"{op_name} not in subgraph.")

    def __str__(self) -> str:
        if not self:
            return "SubGraphView: empty"
        lines = [f"SubGraphView (graphid={id(self._graph)}):"]
        passing = set(self._passthrough_ts)
        parts: list[tuple[str, Sequence[Operation | Tensor]]] = [
            ("ops", self._ops),
            ("inputs", self._input_ts),
            ("outputs", self._output_ts),
        ]
        for title, elements in parts:
            lines.append(f"** {title}[{len(elements)}]:" if elements else f"** {title}: empty")
            lines += [f"  {e.name} *" if e in passing else f"  {e.name}" for e in elements]
        return "\n".join([*lines, ""])

    @property
    def graph(self) -> Graph | None:
        """The `tf.Graph`; None for an empty view."""
        return self._graph

    @property
    def ops(self) -> list[Operation]:
        """The operations."""
        return self._ops

    @property
    def inputs(self) -> ListView:
        """The input Tensors."""
        return ListView(self._input_ts)

    @property
    def connected_inputs(self) -> list[Tensor]:
        """The input Tensors that an operation of the view reads."""
        return [t for t in self._input_ts if t not in self._passthrough_ts]

    @property
    def outputs(self) -> ListView:
        """The output Tensors."""
        return ListView(self._output_ts)

    @property
    def connected_outputs(self) -> list[Tensor]:
        """The output Tensors that an operation of the view makes."""
        return [t for t in self._output_ts if t not in self._passthrough_ts]

    @property
    def passthroughs(self) -> ListView:
        """The Tensors that no operation of the view reads or makes."""
        return ListView(self._passthrough_ts)

    def __bool__(self) -> bool:
        return self._graph is not None

    def op(self, op_id: int) -> Operation:
        """Returns the operation at an index."""
        return self._ops[op_id]

    def is_passthrough(self, t: Tensor) -> bool:
        """Returns True for a Tensor that no operation of the view reads or makes."""
        return t in self._passthrough_ts

    def __enter__(self) -> SubGraphView:
        return self

    def __exit__(self, *exception: object) -> None:
        """Does nothing."""

    def input_index(self, t: Tensor) -> int:
        """Returns the index of an input.

        Args:
            t: Tensor.

        Returns:
            int.

        Raises:
            ValueError: if it is no input of the view.
        """
        if t not in self._input_ts:
            raise ValueError(f"Can't find {t.name} in inputs of subgraph.")
        return self._input_ts.index(t)

    def output_index(self, t: Tensor) -> int:
        """Returns the first index of an output.

        Args:
            t: Tensor.

        Returns:
            int.

        Raises:
            ValueError: if it is no output of the view.
        """
        if t not in self._output_ts:
            raise ValueError(f"Can't find {t.name} in outputs of subgraph.")
        return self._output_ts.index(t)

    def consumers(self) -> list[Operation]:
        """Returns the operations outside the view that read its outputs."""
        own = set(self._ops)
        readers = (op for t in self._output_ts for op in t.consumers())
        return concatenate_unique([], (op for op in readers if op not in own))


def exchange_inputs(view0: SubGraphView, view1: SubGraphView, first_replaces: bool, second_replaces: bool) -> None:
    """Gives views the inputs that their operations read after a change, and the outputs that pass through.

    Args:
        view0: `SubGraphView`.
        view1: `SubGraphView`.
        first_replaces: bool. If True, the second view has the inputs that the first had.
        second_replaces: bool. If True, the first view has the inputs that the second had.
    """
    old0, old1 = view0.copy(), view1.copy()
    for view, other, applies in ((view1, old0, first_replaces), (view0, old1, second_replaces)):
        if applies:
            view._input_ts = list(other._input_ts)
            view._passthrough_ts = list(other._passthrough_ts)
    for changed, source, applies in ((view1, view0, first_replaces), (view0, view1, second_replaces)):
        if applies:
            for i, t in enumerate(changed._output_ts):
                if t in source._passthrough_ts:
                    changed._output_ts[i] = changed._input_ts[source._input_ts.index(t)]


def make_view(*args: Any, **kwargs: Any) -> SubGraphView:
    """Returns a view of selected operations, and of tensors that pass through it.

    Args:
        *args: a `SubGraphView`, which is returned; or Operations, Tensors, lists of them, or patterns; those for
            tensors start with `(?#ts)`.
        **kwargs: `graph`, the `tf.Graph` of the patterns.

    Returns:
        `SubGraphView`.

    Raises:
        ValueError: if the view has another graph, a pattern is given without a graph, or a keyword is unknown.
        TypeError: if something else is given.
    """
    if len(args) == 1 and isinstance(args[0], SubGraphView):
        view = args[0]
    else:
        view = SubGraphView(*select_ops_and_ts(*args, **kwargs))
    graph = kwargs.get("graph")
    if graph is not None and not isinstance(graph, Graph):
        raise TypeError(f"Expected a tf.Graph, got: {type(graph)}")
    if graph is not None and view.graph not in (None, graph):
        raise ValueError("Graph mismatch.")
    return view


def make_view_from_scope(scope: str, graph: Graph) -> SubGraphView:
    """Returns a view of the operations in a name scope.

    Args:
        scope: str.
        graph: `tf.Graph`.

    Returns:
        `SubGraphView`.
    """
    return SubGraphView(get_name_scope_ops(graph, scope))


sgv = make_view
sgv_scope = make_view_from_scope
