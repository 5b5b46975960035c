"""Patterns of operations and their inputs, and the search for them in a graph."""

from __future__ import annotations

import abc
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation, Tensor

__all__ = ["GraphMatcher", "MatchResult", "OneofPattern", "OpTypePattern", "Pattern"]

_ANY: Final = "*"
# The permutations of more inputs would take too long.
_MOST_INPUTS: Final = 8

_Found = dict["OpTypePattern", tuple[Operation, Tensor | None]]


class Pattern(abc.ABC):
    """The base class of patterns."""

    @abc.abstractmethod
    def match(self, op: Operation, tensor: Tensor | None) -> MatchResult | None:
        """Compares an operation and what it reads with the pattern.

        Args:
            op: Operation.
            tensor: Tensor of any dtype and shape, the output of `op` by which it was reached; None at the root.

        Returns:
            MatchResult, or None if the operation does not fit.
        """


class MatchResult:
    """The operations and tensors that the parts of a pattern have matched.

    Args:
        found: dict of (Operation, Tensor or None) by pattern; the Tensor may have any dtype and shape.
    """

    def __init__(self, found: _Found | None = None) -> None:
        self._found: _Found = {} if found is None else found

    def _entry(self, pattern_or_name: Pattern | str) -> tuple[Operation, Tensor | None] | None:
        if isinstance(pattern_or_name, OpTypePattern):
            return self._found.get(pattern_or_name)
        if isinstance(pattern_or_name, str):
            return next((at for pattern, at in self._found.items() if pattern.name == pattern_or_name), None)
        if isinstance(pattern_or_name, Pattern):
            return None
        raise ValueError(f"pattern_or_name has type {type(pattern_or_name)}. Expect Pattern or str.")

    def get_op(self, pattern_or_name: Pattern | str) -> Operation | None:
        """Returns the operation that a part of the pattern has matched.

        Args:
            pattern_or_name: Pattern, or its name, a str.

        Returns:
            Operation; None if the match does not contain this part.

        Raises:
            ValueError: if the argument is neither a Pattern nor a str.
        """
        entry = self._entry(pattern_or_name)
        return None if entry is None else entry[0]

    def get_tensor(self, pattern_or_name: Pattern | str) -> Tensor | None:
        """Returns the tensor by which a part of the pattern was reached.

        Args:
            pattern_or_name: Pattern, or its name, a str.

        Returns:
            Tensor of any dtype and shape; None if the match does not contain this part, or for the root.

        Raises:
            ValueError: if the argument is neither a Pattern nor a str.
        """
        entry = self._entry(pattern_or_name)
        return None if entry is None else entry[1]

    def merge_from(self, other_match_result: MatchResult) -> None:
        """Adds the entries of another result; entries of the same patterns are replaced.

        Args:
            other_match_result: MatchResult.
        """
        self._found.update(other_match_result._found)


class OpTypePattern(Pattern):
    """A pattern of one operation: its type, and patterns of what it reads.

    Args:
        op_type: str, types with "|" between them, or "*" for all.
        name: str to find the match's operation and tensor by, or None.
        inputs: list of a Pattern, or a str of types, for each input; None accepts any inputs.
        ordered_inputs: If False, the inputs may fit in any order.

    Raises:
        ValueError: if there are more than 8 inputs.
    """

    def __init__(
        self,
        op_type: str,
        name: str | None = None,
        inputs: Sequence[Pattern | str] | None = None,
        ordered_inputs: bool = True,
    ) -> None:
        inputs = inputs or []
        if len(inputs) > _MOST_INPUTS:
            raise ValueError(f"A pattern has at most {_MOST_INPUTS} inputs, but {len(inputs)} were given.")
        self._types = None if op_type == _ANY else frozenset(op_type.split("|"))
        self._name = name
        self._inputs = [i if isinstance(i, Pattern) else OpTypePattern(i) for i in inputs]
        self._ordered_inputs = ordered_inputs

    @property
    def name(self) -> str | None:
        """The name, a str or None."""
        return self._name

    def match(self, op: Operation, tensor: Tensor | None) -> MatchResult | None:
        """Compares an operation and what it reads with the pattern.

        Args:
            op: Operation.
            tensor: Tensor of any dtype and shape, the output of `op` by which it was reached; None at the root.

        Returns:
            MatchResult, or None if the operation does not fit.
        """
        if self._types is not None and op.type not in self._types:
            return None
        here = MatchResult({self: (op, tensor)})
        if not self._inputs:
            return here
        reads = list(op.inputs)
        if len(reads) != len(self._inputs):
            return None
        orders: Iterable[Sequence[Pattern]] = [self._inputs]
        if not self._ordered_inputs:
            orders = itertools.permutations(self._inputs)
        for patterns in orders:
            below = _match_all(patterns, reads)
            if below is not None:
                here.merge_from(below)
                return here
        return None


def _match_all(patterns: Sequence[Pattern], reads: list[Tensor]) -> MatchResult | None:
    result = MatchResult()
    for pattern, read in zip(patterns, reads, strict=True):
        found = pattern.match(read.op, read)
        if found is None:
            return None
        result.merge_from(found)
    return result


class OneofPattern(Pattern):
    """A pattern that matches what the first fitting one of several patterns matches.

    Args:
        sub_patterns: list of Patterns, in the order in which they are tried.
    """

    def __init__(self, sub_patterns: Sequence[Pattern]) -> None:
        self._sub_patterns = sub_patterns

    def match(self, op: Operation, tensor: Tensor | None) -> MatchResult | None:
        """Compares an operation and what it reads with the patterns.

        Args:
            op: Operation.
            tensor: Tensor of any dtype and shape, the output of `op` by which it was reached; None at the root.

        Returns:
            MatchResult, or None if no pattern fits.
        """
        results = (pattern.match(op, tensor) for pattern in self._sub_patterns)
        return next((result for result in results if result is not None), None)


class GraphMatcher:
    """Finds the operations that match a pattern.

    Args:
        pattern: Pattern.
    """

    def __init__(self, pattern: Pattern) -> None:
        self._pattern = pattern

    def match_op(self, op: Operation) -> MatchResult | None:
        """Compares an operation with the pattern's root.

        Args:
            op: Operation.

        Returns:
            MatchResult, or None if the operation does not fit.
        """
        return self._pattern.match(op, None)

    def match_ops(self, ops: Iterable[Operation]) -> Iterator[MatchResult]:
        """Compares operations with the pattern's root, one after the other.

        Args:
            ops: iterable of Operations.

        Returns:
            Iterator of MatchResults.
        """
        results = (self.match_op(op) for op in ops)
        return (result for result in results if result is not None)

    def match_graph(self, graph: Graph) -> Iterator[MatchResult]:
        """Compares all operations of a graph with the pattern's root.

        Args:
            graph: Graph; operations that are added during the iteration are not visited.

        Returns:
            Iterator of MatchResults, in the order in which the operations were added.
        """
        return self.match_ops(list(graph.get_operations()))
