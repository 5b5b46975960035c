"""`while_loop`: a body that runs as long as a condition holds."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.base import compat, dtypes, nest, proto
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import NestedTensors, TensorLike
from ferroflow._src.control_flow import primitives
from ferroflow._src.control_flow.context import (
    ControlFlowContext,
    context_from_message,
    made_in,
    register_context_message,
)
from ferroflow._src.control_flow.functional_counts import FunctionalCounts
from ferroflow._src.control_flow.structures import as_leaf, assert_same_structure, flat_tensors, rebuilt_all
from ferroflow._src.framework.composite import IndexedSlices, SparseTensor
from ferroflow._src.framework.composite_specs import IndexedSlicesSpec, SparseTensorSpec
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import add_to_collection, get_default_graph, name_scope
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.graph_keys import SUMMARY_COLLECTION, GraphKeys
from ferroflow._src.framework.handles import Operation, Tensor, add_control_inputs, flow_context
from ferroflow._src.framework.proto_functions import register_proto_function
from ferroflow._src.framework.scope_names import prepend_name_scope, strip_name_scope
from ferroflow._src.framework.tensor_spec import TensorSpec
from ferroflow._src.framework.type_spec import TypeSpec, component_shapes
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.math.arithmetic import add
from ferroflow._src.ops.math.comparison import logical_and
from ferroflow._src.ops.ragged.spec import RaggedTensorSpec
from ferroflow._src.ops.ragged.tensor import RaggedTensor


@dataclasses.dataclass
class LoopVariable:
    """The tensors that one variable of a loop is made of."""

    entered: Tensor
    # Its value in the condition, in the body, and the next one.
    merged: Tensor
    in_body: Tensor
    next_value: Tensor
    # Its value after the loop.
    left: Tensor = dataclasses.field(init=False)


class WhileContext(ControlFlowContext):
    """A loop.

    Args:
        parallel_iterations: kept for readers of the graph; iterations run one after the other.
        back_prop: If True, gradients may pass.
        swap_memory: kept for readers of the graph.
        maximum_iterations: int scalar tensor, or None.
        name: name of the context, made unique.
    """

    def __init__(
        self,
        parallel_iterations: int = 10,
        back_prop: bool = True,
        swap_memory: bool = False,
        maximum_iterations: Tensor | None = None,
        name: str = "while_context",
        graph: Graph | None = None,
    ) -> None:
        graph = graph or get_default_graph()
        super().__init__(graph.unique_name(name), graph)
        self._parallel_iterations = parallel_iterations
        self._back_prop = back_prop
        self._swap_memory = swap_memory
        self._maximum_iterations = maximum_iterations
        self._pivot: Tensor | None = None
        self._pivot_for_pred: Tensor | None = None
        self._pivot_for_body: Tensor | None = None
        self._first_enter: Tensor
        self.variables: list[LoopVariable] = []
        self._loop_exits: list[Tensor] = []
        self._count: Tensor | None = None
        # By tensor: the list of its values in all iterations, as gradients need it.
        self.histories: dict[Tensor, Tensor] = {}

    @property
    def parallel_iterations(self) -> int:
        """Accepted and kept; iterations run one after the other."""
        return self._parallel_iterations

    @property
    def back_prop(self) -> bool:
        """True if gradients may pass."""
        return self._back_prop

    @property
    def swap_memory(self) -> bool:
        """Accepted and kept."""
        return self._swap_memory

    @property
    def maximum_iterations(self) -> Tensor | None:
        """The greatest number of iterations, int scalar, or None."""
        return self._maximum_iterations

    @property
    def loop_enters(self) -> list[Tensor]:
        """The Enter tensors of the loop variables' first values."""
        return [v.entered for v in self.variables]

    @property
    def loop_exits(self) -> list[Tensor]:
        """The values of the loop variables after the last iteration."""
        return self._loop_exits

    def while_context(self) -> ControlFlowContext | None:
        return self

    GetWhileContext = while_context

    def IsWhileContext(self) -> bool:  # noqa: N802 - TF 1.x's name
        return True

    @property
    def pivot(self) -> Tensor | None:
        return self._pivot_for_body if self._pivot_for_body is not None else self._pivot_for_pred

    def set_frame(self, name: str, pivot: Tensor, pivot_for_pred: Tensor, pivot_for_body: Tensor) -> None:
        """Sets the parts of a loop that an imported graph has.

        Args:
            name: str, the name of the loop's frame.
            pivot: Tensor of bool, the output of LoopCond.
            pivot_for_pred: the Merge of the first loop variable.
            pivot_for_body: Tensor that has a value in an iteration, and none after the last.
        """
        self._name = name
        self._pivot, self._pivot_for_pred, self._pivot_for_body = pivot, pivot_for_pred, pivot_for_body

    def _bring_in(self, tensor: Tensor) -> Tensor:
        with self.within(self):
            result = primitives.enter(
                tensor, self._name, is_constant=True, parallel_iterations=self._parallel_iterations
            )
        self._graph.prevent_feeding(result)
        return result

    def _needs_pivot(self, inputs: list[Any], control_inputs: list[Operation]) -> bool:
        if control_inputs:
            return False
        flat = [t for i in inputs for t in (i if isinstance(i, list) else [i])]
        return all(is_constant_enter(t.op) for t in flat)

    def wait_for(self, op: Operation) -> None:
        if self._outer_context is not None:
            loop = self._outer_context.while_context()
            context = flow_context(op)
            inside = context.while_context() if context is not None else None
            if loop is not None and inside is not loop:
                loop.wait_for(op)
                return
        add_control_inputs(self._first_enter.op, op)

    def added(self, op: Operation) -> None:
        super().added(op)
        for tensor in op.outputs:
            op.graph.prevent_feeding(tensor)

    def _inner_names(self) -> set[str]:
        # TF 1.x: what brings the last values out is in the loop.
        return super()._inner_names().union(v.left.name for v in self.variables)

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Returns the WhileContextDef of this loop and of what is nested in it, as a MetaGraphDef keeps it.

        Args:
            export_scope: name scope to take off the names.

        Returns:
            The message; None if the loop is not in `export_scope`.
        """
        if export_scope is not None and not self.name.startswith(export_scope):
            return None

        def named(tensor: Tensor | None) -> str:
            return "" if tensor is None else strip_name_scope(tensor.name, export_scope)

        context_def = proto.WhileContextDef(
            context_name=strip_name_scope(self.name, export_scope),
            parallel_iterations=self._parallel_iterations,
            back_prop=self._back_prop,
            swap_memory=self._swap_memory,
            pivot_name=named(self._pivot),
            pivot_for_pred_name=named(self._pivot_for_pred),
            pivot_for_body_name=named(self._pivot_for_body),
            loop_exit_names=[named(v.left) for v in self.variables],
            loop_enter_names=[named(v.entered) for v in self.variables],
            values_def=self._to_values_def(export_scope),
            maximum_iterations_name=named(self._maximum_iterations),
        )
        self._add_nested(context_def, export_scope)
        return context_def

    def to_control_flow_context_def(self, context_def: Any, export_scope: str | None = None) -> None:
        context_def.while_ctxt.CopyFrom(self.to_proto(export_scope))

    @staticmethod
    def from_proto(context_def: Any, import_scope: str | None = None) -> WhileContext:
        """Returns the loop that a WhileContextDef describes, of operations that are in the default graph.

        Args:
            context_def: the message.
            import_scope: name scope to put before its names.

        Raises:
            KeyError: if an operation of that name is not in the graph.
            ValueError: if the operations do not belong to a loop.
        """
        limit = context_def.maximum_iterations_name
        loop = WhileContext(context_def.parallel_iterations, context_def.back_prop, context_def.swap_memory)
        loop.rename(prepend_name_scope(context_def.context_name, import_scope))
        loop._maximum_iterations = loop.element(limit, import_scope) if limit else None
        loop._pivot = loop.element(context_def.pivot_name, import_scope)
        loop._pivot_for_pred = loop.element(context_def.pivot_for_pred_name, import_scope)
        loop._pivot_for_body = loop.element(context_def.pivot_for_body_name, import_scope)
        enters = [loop.element(name, import_scope) for name in context_def.loop_enter_names]
        exits = [loop.element(name, import_scope) for name in context_def.loop_exit_names]
        outside = [t.op.inputs[0].op for t in enters] + [t.op for t in exits]
        loop.take_values(context_def.values_def, import_scope, outside)
        loop.adopt(enters, exits)
        for tensor in [*loop.loop_enters, *loop.captures]:
            # TF 1.x: a loop is found by its name, which a scope around it changes.
            if compat.as_str(tensor.op.get_attr("frame_name")) != loop.name:
                tensor.op._set_attr("frame_name", loop.name)
        with loop.entered():
            for nested in context_def.nested_contexts:
                context_from_message(nested, import_scope)
        return loop

    def adopt(self, enters: Sequence[Tensor], exits: Sequence[Tensor]) -> None:
        """Uses operations that are already in the graph for the loop's variables.

        Args:
            enters: Enter tensors of the first values.
            exits: Exit tensors of the last values; a variable without one gets it.

        Raises:
            ValueError: if an Enter begins no loop variable.
        """
        graph = self._graph
        exit_of = {t.op.inputs[0].op: t for t in exits}
        for entered in enters:
            merged = next((op for op in entered.consumers() if op.type in ("Merge", "RefMerge")), None)
            back = None if merged is None else merged.inputs[-1].op
            if merged is None or back is None or back.type not in ("NextIteration", "RefNextIteration"):
                raise ValueError(f"'{entered.op.name}' is not the Enter of a variable of the loop '{self.name}'")
            switch = next(
                op
                for op in merged.outputs[0].consumers()
                if op.type in ("Switch", "RefSwitch") and op.inputs[1] is self._pivot
            )
            variable = LoopVariable(entered, merged.outputs[0], switch.outputs[1], back.inputs[0])
            self.variables.append(variable)
            left = exit_of.get(switch)
            if left is None:
                self._leave(variable, switch.outputs[0])
            else:
                variable.left = left
                graph.record_exit(left, self)
                if self._outer_context is not None:
                    self._outer_context.take(left.op)
        self._first_enter = enters[0]
        self._loop_exits = [v.left for v in self.variables]

    def build(
        self,
        condition: Callable[[Sequence[Tensor]], Tensor],
        body: Callable[[Sequence[Tensor]], Sequence[Tensor]],
        initial: Sequence[Tensor],
        shapes: Sequence[TensorShape | None] | None = None,
    ) -> list[Tensor]:
        """Builds the loop over plain tensors.

        Args:
            condition: makes the bool scalar of an iteration from the loop variables.
            body: makes the next values from them.
            initial: the first values.
            shapes: TensorShapes of the parts that are the same in all iterations; by default, and for None, all of it.

        Returns:
            The values after the last iteration.

        Raises:
            ValueError: if the body returns another number of tensors, or a shape changes without an invariant that
                permits it.
            TypeError: if the body gives other dtypes.
        """
        outer = self._outer_context
        values = [t if outer is None else outer.capture(t) for t in initial]
        waits = self._graph.waiting_for()
        with self.within(self):
            entered = [self._enter(value, None if shapes is None else shapes[i]) for i, value in enumerate(values)]
            self._enter_with_outer(entered, waits)
            merged = [primitives.merge([e, e])[0] for e in entered]
        self._pivot_for_pred = merged[0]
        self._first_enter = entered[0]
        with self.entered():
            self._pivot = primitives.loop_cond(convert_to_tensor(condition(merged)))
            switched = [primitives.switch_with_data(m, self._pivot) for m in merged]
            in_body = [identity(s[1], name="Identity") for s in switched]
            self._pivot_for_body = in_body[0]
            results = list(body(in_body))
            if len(results) != len(merged):
                raise ValueError(
                    f"Number of inputs and outputs of body must match loop_vars: {len(merged)}, {len(results)}"
                )
            declared = [
                LoopVariable(e, m, b, self._close(m, self.capture(value)))
                for e, m, b, value in zip(entered, merged, in_body, results, strict=True)
            ]
        # Variables that were added while the body was built come after those it was built with.
        self.variables[:0] = declared
        self._loop_exits = [self._leave(v, s[0]) for v, s in zip(declared, switched, strict=True)]
        return self._loop_exits

    def add_variable(self, initial: Tensor, step: Callable[[Tensor], Tensor]) -> LoopVariable:
        """Adds a variable to the loop, built already or being built.

        Args:
            initial: the first value, of the context around the loop or outside of that.
            step: makes the next value.
        """
        outer = self._outer_context
        value = initial if outer is None else outer.capture(initial)
        with self.within(self):
            entered = self._enter(value, None)
            merged = primitives.merge([entered, entered])[0]
            switched = primitives.switch_with_data(merged, self._pivot_of_switches)
            in_body = identity(switched[1], name="Identity")
        with made_in(self._graph, self):
            variable = LoopVariable(entered, merged, in_body, self._close(merged, self.capture(step(in_body))))
        self.variables.append(variable)
        self._leave(variable, switched[0])
        return variable

    def count(self) -> Tensor:
        """Returns the number of iterations, int32 scalar of the context around the loop."""
        if self._count is None:
            with made_in(self._graph, self._outer_context):
                zero = constant(0, dtype=dtypes.int32)
            self._count = self.add_variable(zero, lambda i: add(i, constant(1, dtype=dtypes.int32))).left
        return self._count

    @property
    def _pivot_of_switches(self) -> Tensor:
        assert self._pivot is not None
        return self._pivot

    def _enter(self, value: Tensor, shape: TensorShape | None) -> Tensor:
        entered = primitives.enter(
            value, self._name, parallel_iterations=self._parallel_iterations, keep_shape=shape is None
        )
        if shape is not None:
            entered.set_shape(shape)
        self._graph.prevent_feeding(entered)
        return entered

    def _leave(self, variable: LoopVariable, value: Tensor) -> Tensor:
        with self.within(self._outer_context):
            variable.left = primitives.leave(value)
        self._graph.record_exit(variable.left, self)
        return variable.left

    def _enter_with_outer(self, values: Sequence[Tensor], waits: list[Operation]) -> None:
        """Makes the first values wait for what the enclosing context waits for, if they would not by themselves."""
        context = self._outer_context
        pivot = None
        while context is not None and pivot is None:
            pivot = context.pivot
            context = context.outer_context
        for entered in values:
            source = entered.op.inputs[0].op
            if pivot is not None and is_constant_enter(source):
                add_control_inputs(entered.op, pivot.op)
        if waits:
            kept = waits if self._outer_context is None else self._outer_context.internal(waits)
            for entered in values:
                entered.op._add_control_inputs(kept)

    def _close(self, merged: Tensor, value: Tensor) -> Tensor:
        """Adds the back edge of a loop variable; gives the next value."""
        enter_value = merged.op.inputs[0]
        if value.dtype.base_dtype != merged.dtype.base_dtype:
            raise TypeError(
                f"Loop variable {enter_value.name} has type {merged.dtype.base_dtype.name} when it enters the loop, "
                f"but type {value.dtype.base_dtype.name} after one iteration"
            )
        next_value = primitives.next_iteration(value)
        if not _is_instance(next_value.shape, merged.shape):
            raise ValueError(
                f"Input tensor '{enter_value.op.inputs[0].name}' enters the loop with shape {enter_value.shape}, but "
                f"has shape {next_value.shape} after one iteration. To allow the shape to vary across iterations, use "
                "the `shape_invariants` argument of tf.while_loop to specify a less-specific shape."
            )
        merged.op._update_input(1, next_value)
        return value


register_context_message("while_ctxt", WhileContext.from_proto)
register_proto_function(
    GraphKeys.WHILE_CONTEXT, "WhileContextDef", to_proto=WhileContext.to_proto, from_proto=WhileContext.from_proto
)


def is_constant_enter(op: Operation) -> bool:
    """Returns True if an operation brings a value into a loop that is the same in all iterations."""
    return op.type in ("Enter", "RefEnter") and bool(op.get_attr("is_constant"))


def _check_invariant(initial: Tensor, invariant: TensorShape | None) -> None:
    """Raises ValueError if a loop variable's first value does not have the variable's invariant shape."""
    if invariant is not None and not _is_instance(initial.shape, invariant):
        raise ValueError(
            f"The shape invariant specified for {initial.name} is not compatible with the initial shape of the loop "
            f"variable. It enters the loop with shape {initial.shape}, but the specified shape invariant is "
            f"{invariant}."
        )


def _is_instance(shape: TensorShape, of: TensorShape) -> bool:
    """Returns True if every tensor of `shape` has the shape `of`."""
    if of.dims is None:
        return True
    if shape.ndims != of.ndims:
        return False
    found = shape.as_list()
    return all(want is None or want == got for got, want in zip(found, of.as_list(), strict=True))


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: NestedTensors,
    shape_invariants: object = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: TensorLike | None = None,
    return_same_structure: bool = False,
) -> Any:
    """Runs `body` repeatedly while `cond` is True.

    Args:
        cond: makes a bool scalar from the loop variables.
        body: makes the next values of the loop variables, in their structure, from them.
        loop_vars: the first values: a list, tuple or nest of Tensors, SparseTensors, IndexedSlices or TensorArrays, of
            any dtype and shape.
        shape_invariants: nest of TensorShapes or TypeSpecs like `loop_vars`: the parts of each shape that are the same
            in all iterations.
        parallel_iterations: positive int, accepted; iterations run one after the other.
        back_prop: If True, gradients may pass.
        swap_memory: accepted.
        name: name scope of the operations.
        maximum_iterations: int scalar; the loop ends after this number of iterations.
        return_same_structure: If True, a list of one variable stays a list.

    Returns:
        The loop variables after the last iteration; one that is not in a nest comes without one.

    Raises:
        TypeError: if a function is not callable, if structures or dtypes change, or if `parallel_iterations` is less
            than 1.
        ValueError: if there are no variables, if their number changes, if shapes change that should not, or if
            `parallel_iterations` is no int of Python.
    """
    with name_scope(name, "while", loop_vars if isinstance(loop_vars, list | tuple) else None):
        if not loop_vars:
            raise ValueError("No loop variables provided")
        if not callable(cond):
            raise TypeError("cond must be callable.")
        if not callable(body):
            raise TypeError("body must be callable.")
        if parallel_iterations < 1:
            raise TypeError("parallel_iterations must be a positive integer.")
        if not isinstance(parallel_iterations, int):
            # TF 1.x: integers of NumPy are refused, too.
            raise ValueError(f"`parallel_iterations` must be a positive integer: {parallel_iterations}")
        limited = maximum_iterations is not None
        limit = None if maximum_iterations is None else convert_to_tensor(maximum_iterations, name="maximum_iterations")
        if limit is not None:
            if limit.shape.ndims != 0:
                raise ValueError(f"maximum_iterations must be a scalar, saw shape: {limit.shape}")
            cond, body, loop_vars = _limited(cond, body, loop_vars, limit)
            if shape_invariants is not None:
                shape_invariants = (TensorShape([]), shape_invariants)
        if shape_invariants is not None:
            nest.assert_same_structure(loop_vars, shape_invariants)
        context = WhileContext(parallel_iterations, back_prop, swap_memory, limit)
        if context.outer_context is None:
            add_to_collection(GraphKeys.WHILE_CONTEXT, context)
        result = _build(context, cond, body, loop_vars, shape_invariants)
        if limited:
            result = result[1]
        if return_same_structure or len(result) != 1:
            return result
        return result[0]


def _limited(cond: Any, body: Any, loop_vars: Any, limit: Tensor) -> tuple[Any, Any, Any]:
    """Returns the same loop with one more variable, which counts."""
    counter = constant(0, dtype=limit.dtype, name="iteration_counter")

    def limited_body(i: Tensor, variables: Any) -> Any:
        following = i + 1
        result = body(*variables)
        if not nest.is_sequence(result):
            result = [result]
        nest.assert_same_structure(list(variables), list(result))
        return following, nest.pack_sequence_as(variables, nest.flatten(result))

    return lambda i, variables: logical_and(i < limit, cond(*variables)), limited_body, (counter, loop_vars)


def _build(context: WhileContext, cond: Any, body: Any, loop_vars: Any, shape_invariants: Any) -> Any:
    leaves = [as_leaf(leaf) for leaf in nest.flatten(loop_vars)]
    initial = flat_tensors(leaves)
    invariants = [None] * len(leaves) if shape_invariants is None else nest.flatten(shape_invariants)
    shapes = [s for leaf, invariant in zip(leaves, invariants, strict=True) for s in _shapes_of(leaf, invariant)]
    for tensor, shape in zip(initial, shapes, strict=True):
        _check_invariant(tensor, shape)
    structure = nest.pack_sequence_as(loop_vars, leaves)

    def packed(tensors: Sequence[Tensor]) -> Any:
        return nest.pack_sequence_as(structure, rebuilt_all(leaves, tensors))

    def run_body(tensors: Sequence[Tensor]) -> list[Tensor]:
        nonlocal leaves, structure
        summaries = get_default_graph().get_collection_ref(SUMMARY_COLLECTION)
        before = list(summaries)
        arguments = packed(tensors)
        result = body(*arguments)
        if not nest.is_sequence(result):
            result = [result]
        made = summaries[len(before) :]
        if made:
            # A summary of one iteration cannot be fetched: it is written with the iteration.
            summaries[:] = before
            with get_default_graph().control_dependencies(made):
                result = nest.map_structure(lambda x: identity(x) if isinstance(x, Tensor) else x, result)
        assert_same_structure(list(arguments), list(result))
        results = [as_leaf(leaf) for leaf in nest.flatten(result)]
        flat = flat_tensors(results)
        # TF 1.x: the result has the structure of what the body gives.
        leaves, structure = results, result
        return flat

    counts = FunctionalCounts(get_default_graph())
    # TF 1.x: each loop's functions have a counter and a limit as arguments. Here a loop with a limit has the counter
    # as a variable and captures the limit. One operation compares them before the condition; two count before the body.
    limited = context.maximum_iterations is not None
    variables = len(initial) + (1 if limited else 2)

    def captures() -> int:
        return context.capture_count - (1 if limited else 0)

    def counted_condition(tensors: Sequence[Tensor]) -> Tensor:
        with counts.function(variables - (1 if limited else 0)):
            result: Tensor = cond(*packed(tensors))
            return result

    def counted_body(tensors: Sequence[Tensor]) -> list[Tensor]:
        with counts.function(variables + captures() - (2 if limited else 0)):
            return run_body(tensors)

    exits = context.build(counted_condition, counted_body, initial, shapes)
    # TF 1.x: the counter's first value, the limit, the operation `While`, and one for each variable and capture.
    counts.end((0 if limited else 2) + 1 + variables + captures())
    return packed(exits)


def _shapes_of(leaf: Any, invariant: Any) -> list[TensorShape | None]:
    """Returns the shapes of the tensors of a leaf for an invariant of the whole; None stands for those of the first
    values.
    """
    if isinstance(invariant, TypeSpec):
        _check_described(leaf, invariant)
        return [*component_shapes(invariant)]
    if isinstance(leaf, SparseTensor):
        # TF 1.x: the invariant is the shape of `dense_shape`; the number of values is free without one, too.
        shape = leaf.dense_shape.shape if invariant is None else TensorShape(invariant)
        rank = shape.with_rank(1).as_list()[0]
        return [*component_shapes(SparseTensorSpec(None if rank is None else [None] * rank, leaf.dtype))]
    if isinstance(leaf, IndexedSlices):
        if invariant is None:
            return [None] * len(flat_tensors([leaf]))
        shape = TensorShape(invariant)
        dense_kind = None if leaf.dense_shape is None else leaf.dense_shape.dtype
        spec = IndexedSlicesSpec(shape, leaf.values.dtype, leaf.indices.dtype, dense_kind, shape[:1])
        return [*component_shapes(spec)]
    if isinstance(leaf, RaggedTensor):
        shape = leaf.shape if invariant is None else TensorShape(invariant)
        return [*component_shapes(RaggedTensorSpec(shape, leaf.dtype, leaf.ragged_rank, leaf.row_splits.dtype))]
    return [None if invariant is None else TensorShape(invariant)]


def _check_described(leaf: Any, spec: TypeSpec) -> None:
    """Raises TypeError if a loop variable is not of the kind that its invariant describes."""
    if not isinstance(leaf, spec.value_type):
        fits = False
    elif isinstance(spec, TensorSpec):
        # Its shape is checked as that of any other tensor.
        fits = leaf.dtype.base_dtype == spec.dtype
    else:
        fits = spec.is_compatible_with(leaf)
    if not fits:
        raise TypeError(f"TypeSpec {spec} is not compatible with {leaf}")
