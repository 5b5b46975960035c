"""`cond`: of two branches the one that a predicate chooses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import deprecation, dtypes, nest, proto
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.control_flow import primitives
from ferroflow._src.control_flow.context import (
    ControlFlowContext,
    context_from_message,
    made_in,
    register_context_message,
)
from ferroflow._src.control_flow.functional_counts import FunctionalCounts
from ferroflow._src.control_flow.structures import assert_same_structure, flat_tensors, rebuilt_all
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import add_to_collection, get_default_graph, name_scope
from ferroflow._src.framework.graph_keys import SUMMARY_COLLECTION, GraphKeys
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.proto_functions import register_proto_function
from ferroflow._src.framework.scope_names import prepend_name_scope, strip_name_scope
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.flow.branches import register_cond
from ferroflow._src.ops.flow.grouping import no_op, with_dependencies


class CondContext(ControlFlowContext):
    """One branch of a conditional.

    Args:
        pred: bool scalar tensor made outside of the branch.
        pivot: tensor that has a value where the branch is taken.
        branch: 1 if the branch is taken if `pred` is true, 0 for the other one.
        name: name of the context, made unique.
    """

    def __init__(self, pred: Tensor, pivot: Tensor, branch: int, name: str = "cond_text") -> None:
        graph = pred.graph
        super().__init__(graph.unique_name(name), graph)
        self._pred = pred
        self._pivot = pivot
        self._branch = branch
        self._exported: dict[Tensor, Tensor] = {}
        graph.branches.setdefault(pred, {})[branch] = self

    @property
    def pred(self) -> Tensor:
        """The condition, a bool scalar."""
        return self._pred

    @property
    def pivot(self) -> Tensor:
        return self._pivot

    @property
    def branch(self) -> int:
        """The value of the predicate, 0 or 1, with which this branch is taken."""
        return self._branch

    def IsCondContext(self) -> bool:  # noqa: N802 - TF 1.x's name
        return True

    def capture(self, tensor: Tensor) -> Tensor:
        # The branch waits for its pivot, which stands before it.
        return tensor if tensor is self._pivot else super().capture(tensor)

    @property
    def sibling(self) -> CondContext:
        """The other branch."""
        other: CondContext = self._graph.branches[self._pred][1 - self._branch]
        return other

    def export(self, tensor: Tensor) -> Tensor:
        """Returns a tensor of the branch as one of the context around it; of no use where the branch is not taken."""
        found = self._exported.get(tensor)
        if found is None:
            other = self.sibling
            with made_in(self._graph, other):
                nothing = _placeholder_value(tensor.dtype.base_dtype)
            with self.within(self._outer_context):
                pair = [tensor, nothing] if self._branch == 0 else [nothing, tensor]
                found = self._exported[tensor] = primitives.merge(pair)[0]
        return found

    def _bring_in(self, tensor: Tensor) -> Tensor:
        with self.within(self):
            return primitives.switch_with_data(tensor, self._pred)[self._branch]

    def _needs_pivot(self, inputs: list[Any], control_inputs: list[Operation]) -> bool:
        # A list argument may be empty.
        return all(isinstance(i, list) and not i for i in inputs)

    def run(self, function: Callable[[], Any]) -> tuple[Any, list[Tensor]]:
        """Builds the branch.

        Returns:
            The function's result, None for nothing, and its tensors, all of this branch.
        """
        with self.entered():
            summaries = get_default_graph().get_collection_ref(SUMMARY_COLLECTION)
            before = list(summaries)
            original = function()
            made = summaries[len(before) :]
            if made:
                # A summary of one branch cannot be fetched: it is written with the branch.
                summaries[:] = before
                with get_default_graph().control_dependencies(made):
                    original = no_op() if original is None else nest.map_structure(identity, original)
            if original is None:
                return None, []
            leaves = [self._value_of(leaf) for leaf in nest.flatten(original)]
            return original, [self._output(t) for t in flat_tensors(leaves)]

    def _own_externals(self) -> list[Tensor]:
        return [self._pred, self._pivot]

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Returns the CondContextDef of this branch and of what is nested in it, as a MetaGraphDef keeps it.

        Args:
            export_scope: name scope to take off the names.

        Returns:
            The message; None if the branch is not in `export_scope`.
        """
        if export_scope is not None and not self.name.startswith(export_scope):
            return None
        context_def = proto.CondContextDef(
            context_name=strip_name_scope(self.name, export_scope),
            pred_name=strip_name_scope(self._pred.name, export_scope),
            pivot_name=strip_name_scope(self._pivot.name, export_scope),
            branch=self._branch,
            values_def=self._to_values_def(export_scope),
        )
        self._add_nested(context_def, export_scope)
        return context_def

    def to_control_flow_context_def(self, context_def: Any, export_scope: str | None = None) -> None:
        context_def.cond_ctxt.CopyFrom(self.to_proto(export_scope))

    @staticmethod
    def from_proto(context_def: Any, import_scope: str | None = None) -> CondContext:
        """Returns the branch that a CondContextDef describes, of operations that are in the default graph.

        Args:
            context_def: the message.
            import_scope: name scope to put before its names.

        Raises:
            KeyError: if an operation of that name is not in the graph.
        """
        graph = get_default_graph()
        pred, pivot = (
            graph.get_tensor_by_name(prepend_name_scope(name, import_scope))
            for name in (context_def.pred_name, context_def.pivot_name)
        )
        context = CondContext(pred, pivot, context_def.branch)
        context.rename(prepend_name_scope(context_def.context_name, import_scope))
        context.take_values(context_def.values_def, import_scope)
        with context.entered():
            for nested in context_def.nested_contexts:
                context_from_message(nested, import_scope)
        return context

    def _value_of(self, leaf: Any) -> Any:
        # An operation has no value: what its branch returns is the pivot after it.
        return with_dependencies([leaf], self._pivot) if isinstance(leaf, Operation) else leaf

    def _output(self, tensor: Tensor) -> Tensor:
        return self.capture(tensor)


register_context_message("cond_ctxt", CondContext.from_proto)
register_proto_function(
    GraphKeys.COND_CONTEXT, "CondContextDef", to_proto=CondContext.to_proto, from_proto=CondContext.from_proto
)


def _placeholder_value(dtype: dtypes.DType) -> Tensor:
    """Returns any tensor of a type."""
    if dtype == dtypes.variant:
        unknown = constant(-1, dtype=dtypes.int32)
        return tensor_op("EmptyTensorList", [unknown, unknown], {"element_dtype": dtypes.variant})
    if dtype == dtypes.resource:
        return tensor_op("TensorArrayV3", [constant(0)], {"dtype": dtypes.float32})
    return constant("" if dtype == dtypes.string else dtype.as_numpy_dtype(0), dtype=dtype)


def _functions(true_fn: Any, false_fn: Any, fn1: Any, fn2: Any) -> tuple[Any, Any]:
    for old, new, old_name, new_name in ((fn1, true_fn, "fn1", "true_fn"), (fn2, false_fn, "fn2", "false_fn")):
        if old is not None:
            deprecation.warn_deprecated(old_name, new_name, stacklevel=2)
            if new is not None:
                raise TypeError(f"cond(): {new_name} and {old_name} may not be set simultaneously.")
        if old is None and new is None:
            raise TypeError(f"cond(): {new_name} argument required")
    true_fn, false_fn = true_fn if fn1 is None else fn1, false_fn if fn2 is None else fn2
    for function, name in ((true_fn, "true_fn"), (false_fn, "false_fn")):
        if not callable(function):
            raise TypeError(f"{name} must be callable.")
    return true_fn, false_fn


def _unpacked(value: Any) -> Any:
    return value[0] if isinstance(value, list | tuple) and len(value) == 1 else value


def cond(
    pred: TensorLike,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Callable[[], Any] | None = None,
    fn2: Callable[[], Any] | None = None,
) -> Any:
    """Returns the result of `true_fn()` if `pred` is True, else the result of `false_fn()`.

    Both functions are called once, to build their branches. Only the operations of the branch taken run; values that
    they read from outside are computed in any case.

    Args:
        pred: bool scalar tensor.
        true_fn: makes the value, a nest of tensors, for a true `pred`.
        false_fn: as `true_fn`, for a false one: the same structure, with the same dtypes.
        strict: If True, a list of one tensor stays a list.
        name: name scope of the operations.
        fn1: old name of `true_fn`.
        fn2: old name of `false_fn`.

    Returns:
        The nest of tensors that the branch taken returns. Static shapes are the parts that both branches have in
        common.

    Raises:
        TypeError: if `pred` is a Python bool, a function is missing or not callable, or the structures have different
            types.
        ValueError: if a function returns None, or the structures or dtypes differ.

    Example:
        >>> x = tf.placeholder(tf.float32, [])
        >>> root = tf.cond(x >= 0, lambda: tf.sqrt(x), lambda: tf.zeros([]))
        >>> print(sess.run(root, {x: 9.0}), sess.run(root, {x: -9.0}))
        3.0 0.0
    """
    true_fn, false_fn = _functions(true_fn, false_fn, fn1, fn2)
    with name_scope(name, "cond", [pred]):
        if isinstance(pred, bool):
            raise TypeError("pred must not be a Python bool")
        graph = get_default_graph()
        counts = FunctionalCounts(graph)
        converted = 0 if isinstance(pred, Tensor) else 1
        when_false, when_true = primitives.switch(pred, pred)
        pivot_true = identity(when_true, name="switch_t")
        pivot_false = identity(when_false, name="switch_f")
        pred = identity(pred, name="pred_id")
        for tensor in (when_true, when_false, pivot_true, pivot_false, pred):
            graph.prevent_fetching(tensor.op)
        results = []
        contexts = []
        for function, pivot, branch in ((true_fn, pivot_true, 1), (false_fn, pivot_false, 0)):
            context = CondContext(pred, pivot, branch)
            contexts.append(context)
            with counts.function(arguments=0):
                original, tensors = context.run(function)
            if original is None:
                raise ValueError(f"{'true_fn' if branch else 'false_fn'} must have a return value.")
            results.append((original if strict else _unpacked(original), tensors))
        (true_value, true_tensors), (false_value, false_tensors) = results
        _check_same(true_value, false_value)
        if not true_tensors:
            raise ValueError("true_fn and false_fn must return at least one result.")
        for x, y in zip(true_tensors, false_tensors, strict=True):
            if x.dtype.base_dtype != y.dtype.base_dtype:
                raise ValueError(
                    f"Outputs of true_fn and false_fn must have the same type: {x.dtype.name}, {y.dtype.name}"
                )
        merged = [primitives.merge([f, t])[0] for f, t in zip(false_tensors, true_tensors, strict=True)]
        # TF 1.x: the operation `If`, and one for each result.
        counts.end(converted + 1 + len(merged))
        if contexts[0].outer_context is None:
            for context in contexts:
                add_to_collection(GraphKeys.COND_CONTEXT, context)
        leaves = nest.flatten(true_value)
        packed = nest.pack_sequence_as(true_value, rebuilt_all(leaves, merged) if not _has_ops(leaves) else merged)
        return packed if strict else _unpacked(packed)


def _has_ops(leaves: list[Any]) -> bool:
    return any(isinstance(leaf, Operation) for leaf in leaves)


def _check_same(true_value: Any, false_value: Any) -> None:
    try:
        assert_same_structure(true_value, false_value)
    except (TypeError, ValueError) as error:
        kind, what = (TypeError, "types") if isinstance(error, TypeError) else (ValueError, "values")
        raise kind(f"Incompatible return {what} of true_fn and false_fn: {error}") from None


register_cond(cond)
