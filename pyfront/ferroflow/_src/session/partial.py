"""`PartialRun`: one step that is fed and fetched in parts; later parts reuse earlier results."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes, errors
from ferroflow._src.base.dtypes import is_reference
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation, Tensor


class PartialRun:
    """The state between the parts of a partial run.

    Each part runs as a step of its own, fed with the user's feeds so far and all earlier results. Of a loop, it gets
    the values that left the loop; of a branch that was not taken, nothing.
    """

    def __init__(self, graph: Graph, core: Any, fetches: list[Any], feeds: list[Tensor]) -> None:
        self._graph = graph
        self._core = core
        self._feeds = frozenset(feeds)
        self._fetches = frozenset(fetches)
        self._fed: set[Tensor] = set()
        self._fetched: set[Any] = set()
        self._known: dict[Tensor, Any] = {}
        self._done: set[Operation] = set()

    def run(self, elements: list[Any], feeds: list[tuple[Tensor, Any]]) -> list[Any]:
        """Returns the values of `elements` (None for operations).

        Raises:
            tf.errors.InvalidArgumentError: if a feed or fetch was not set up, or was used before; or a feed is missing.
        """
        self._check("feed", [t for t, _ in feeds], self._feeds, self._fed, "fed")
        self._check("fetch", elements, self._fetches, self._fetched, "fetched")
        self._fed.update(t for t, _ in feeds)
        # Later pieces are fed the same values, whatever the program does to its arrays meanwhile.
        self._known.update((t, v.copy()) for t, v in feeds)
        known = list(self._known.items())
        tensors = [e for e in elements if isinstance(e, Tensor)]
        targets = [e for e in elements if isinstance(e, Operation) and e not in self._done]
        computed, ran = self._to_run(tensors, [t for t, _ in known], targets)
        wanted = list(dict.fromkeys([*tensors, *computed]))
        values = dict(zip(wanted, self._core.run_flat(wanted, known, targets, may_miss=True), strict=True))
        for i, tensor in enumerate(tensors):
            if values[tensor] is None:
                raise errors.InvalidArgumentError(None, None, f"Retval[{i}] does not have value")
        self._known.update({t: values[t] for t in computed if values[t] is not None})
        self._done.update(ran)
        self._fetched.update(elements)
        return [values.get(e) for e in elements]

    @staticmethod
    def _check(kind: str, elements: list[Any], announced: frozenset[Any], used: set[Any], participle: str) -> None:
        for element in elements:
            what = None
            if element not in announced:
                what = "was not specified in partial_run_setup."
            elif element in used:
                what = f"has already been {participle}."
            if what is not None:
                raise errors.InvalidArgumentError(None, None, f"The {kind} {element.name} {what}")

    def _to_run(
        self, tensors: list[Tensor], feeds: list[Tensor], targets: list[Operation]
    ) -> tuple[list[Tensor], list[Operation]]:
        """Returns the plain values and the operations that the piece is about to compute."""
        fed = set(feeds)
        computed, ran = [], []
        for name, _, _, is_inside in self._core.placement(tensors, feeds, targets):
            op = self._graph.get_operation_by_name(name)
            ran.append(op)
            if not is_inside:
                computed += [t for t in op.outputs if t not in fed and _can_be_kept(t)]
        return computed, ran


def _can_be_kept(tensor: Tensor) -> bool:
    return not is_reference(tensor.dtype) and tensor.dtype not in (dtypes.resource, dtypes.variant)
