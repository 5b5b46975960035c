"""`tf.GradientTape` of a program that builds graphs: derivatives by the operations made while the tape recorded."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from ferroflow._src.autodiff.gradients import gradients
from ferroflow._src.autodiff.unconnected import UnconnectedGradients
from ferroflow._src.base import nest
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor

# The tapes that record, the first one first.
_recording: list[GradientTape] = []
_VARIABLES = ("VariableV2", "Variable", "VarHandleOp", "TemporaryVariable")


class GradientTape:
    """Records operations for derivatives; in a graph, those created in its `with` block.

    Args:
        persistent: bool. If True, `gradient` may be called more than once.
        watch_accessed_variables: bool. If False, a variable counts only after `watch`.
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watches_variables = watch_accessed_variables
        self._graph: Any = None
        # Numbers of nodes, from the first to behind the last, that were made while the tape recorded.
        self._spans: list[tuple[int, int]] = []
        self._start: int | None = None
        self._watched: dict[Any, None] = {}
        self._used = False

    def __enter__(self) -> GradientTape:
        """Starts to record."""
        self._graph = get_default_graph()
        self._begin()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stops to record."""
        if self._start is not None:
            self._end()

    def _begin(self) -> None:
        if self._start is not None:
            raise ValueError("Tape is already recording.")
        self._start = self._graph.version
        _recording.append(self)

    def _end(self) -> None:
        if self._start is None:
            raise ValueError("Tape is not recording.")
        self._spans.append((self._start, self._graph.version))
        self._start = None
        _recording.remove(self)

    def watch(self, tensor: TensorLike) -> None:
        """Makes tensors count as sources of derivatives.

        Args:
            tensor: Tensor or Variable of a float or complex dtype, or nest of them.
        """
        for found in nest.flatten(tensor):
            self._watched[found] = None

    def watched_variables(self) -> tuple[Any, ...]:
        """Returns the variables that are watched or that recorded operations read, a tuple in the order of creation."""
        found = [v for v in self._watched if not isinstance(v, Tensor)]
        if self._watches_variables and self._graph is not None:
            trainable = self._graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)
            spans = self._recorded()
            found += [v for v in trainable if v not in self._watched and _is_read(v, spans)]
        return tuple(sorted(found, key=lambda v: v.op._id))

    def _recorded(self) -> list[tuple[int, int]]:
        return [*self._spans, *([] if self._start is None else [(self._start, self._graph.version)])]

    @contextlib.contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Opens a context whose operations the tape leaves out.

        Raises:
            ValueError: if the tape is not recording.
        """
        self._end()
        try:
            yield
        finally:
            self._begin()

    def reset(self) -> None:
        """Drops the recorded operations and the watched tensors."""
        self._spans, self._watched = [], {}
        if self._start is not None:
            self._start = self._graph.version

    def watches(self, tensor: Any) -> bool:
        """Searches the recorded operations for a way from a watched tensor to this one.

        Args:
            tensor: Tensor of any dtype and shape.

        Returns:
            bool, True if there is one or if the tensor itself is watched.
        """
        return bool(_reached(tensor, [*self._watched, *self.watched_variables()], self._recorded()))

    def gradient(
        self,
        target: TensorLike,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """Returns the derivatives of the sum of `target` with respect to `sources`.

        Args:
            target: Tensor of a float or complex dtype, or nest of them.
            sources: watched Tensors, or Variables, of float or complex dtypes, or nest of them.
            output_gradients: the gradients that reach `target`, a nest like it; None for ones.
            unconnected_gradients: a `tf.UnconnectedGradients`: the gradient of a source without influence.

        Returns:
            A nest like `sources` of Tensors or IndexedSlices of their dtypes and shapes; None for a source that does
            not influence `target` by recorded operations.

        Raises:
            RuntimeError: if the tape was used before and is not persistent.
        """
        if self._used and not self._persistent:
            raise RuntimeError("GradientTape.gradient can only be called once on non-persistent tapes.")
        self._used = True
        spans = self._recorded()
        ys = [convert_to_tensor(y) for y in nest.flatten(target)]
        xs = nest.flatten(sources)
        known = {id(x) for x in self._watched}
        counted = [id(x) in known or (self._watches_variables and not isinstance(x, Tensor)) for x in xs]
        found: list[Any] = [None] * len(xs)
        used = [x for x, counts in zip(xs, counted, strict=True) if counts]
        if used:
            given = None if output_gradients is None else nest.flatten(output_gradients)
            stops = _not_recorded(ys, used, spans)
            values = iter(gradients(ys, used, given, stop_gradients=stops, unconnected_gradients=unconnected_gradients))
            found = [next(values) if counts else None for counts in counted]
        return nest.pack_sequence_as(sources, found) if nest.is_sequence(sources) else found[0]


def _not_recorded(ys: list[Tensor], xs: list[Any], spans: list[tuple[int, int]]) -> list[Tensor]:
    """Returns the tensors at which derivatives stop: results of operations that no tape saw, on the way to the
    targets.
    """
    ends = {id(x) for x in xs}
    stops: dict[Tensor, None] = {}
    seen: set[Any] = set()
    stack = list(ys)
    while stack:
        tensor = stack.pop()
        if tensor in seen or id(tensor) in ends:
            continue
        seen.add(tensor)
        op = tensor.op
        if _is_within(op, spans) or _reads_variable(op):
            stack.extend(op.inputs)
        elif op.type not in _VARIABLES:
            stops[tensor] = None
    return list(stops)


def _is_within(op: Any, spans: list[tuple[int, int]]) -> bool:
    """Returns True for an operation that was made while a tape recorded."""
    return any(first <= op._id < last for first, last in spans)


def recording_tapes() -> list[GradientTape]:
    """Returns the tapes that are recording, the first one first."""
    return list(_recording)


def _reached(tensor: Any, sources: list[Any], spans: list[tuple[int, int]]) -> list[Any]:
    """Returns the sources that recorded operations on the way to a tensor read."""
    wanted = {id(source) for source in sources}
    seen: set[Any] = set()
    stack, found = [tensor], []
    while stack:
        each = stack.pop()
        if each in seen:
            continue
        seen.add(each)
        if id(each) in wanted:
            found.append(each)
        elif _is_within(each.op, spans):
            stack.extend(each.op.inputs)
    return found


def _reads_variable(op: Any) -> bool:
    """Returns True if an operation is the read of a variable, which the variable made, maybe before the tape
    recorded.
    """
    return op.type in ("Identity", "ReadVariableOp") and op.inputs[0].op.type in _VARIABLES


def _is_read(variable: Any, spans: list[tuple[int, int]]) -> bool:
    """Returns True if a recorded operation reads a variable."""
    readers = [op for tensor in variable.op.outputs for op in tensor.consumers()]
    readers += [op for read in readers if _reads_variable(read) for op in read.outputs[0].consumers()]
    return any(_is_within(op, spans) for op in readers)
