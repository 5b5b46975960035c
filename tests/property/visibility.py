"""A naive interpreter of the visibility rule, and random programs for it: one thread, no optimizer, no in-place writes.

The rule: (1) the writes of one variable in a step are totally ordered, by the graph where it orders them and by node
id where it does not; (2) an op that reads a variable sees the version made by the last write that data or control
edges order before that op, else the version at the start of the step; (3) a fetched variable is read after the last
write.
"""

from __future__ import annotations

import dataclasses
import heapq
from typing import Any

import numpy as np
from hypothesis import strategies as st

WRITES = ("assign", "assign_add", "assign_sub")


@dataclasses.dataclass
class Node:
    """One operation of a program. `kind`: variable, read, constant, add, mul, noop or one of WRITES."""

    kind: str
    inputs: list[int]
    controls: list[int]
    value: float = 0.0


@dataclasses.dataclass
class Program:
    """Nodes by id, the nodes fetched, and the variables' start values."""

    nodes: list[Node]
    fetches: list[int]
    starts: dict[int, float]


@st.composite
def programs(draw: Any) -> Program:
    """A random program of reads, writes, arithmetic and control edges (also from later nodes to earlier ones)."""
    variables = draw(st.integers(1, 3))
    numbers = st.integers(-8, 8).map(float)
    nodes = [Node("variable", [], []) for _ in range(variables)]
    starts = {i: draw(numbers) for i in range(variables)}
    for _ in range(draw(st.integers(1, 14))):
        kind = draw(st.sampled_from(["read", "constant", "add", "mul", "noop", *WRITES, *WRITES]))
        valued = [i for i, n in enumerate(nodes) if n.kind != "noop"]
        pick = st.sampled_from(valued)
        inputs: list[int] = []
        if kind == "read":
            inputs = [draw(st.sampled_from([i for i in valued if root_of(nodes, i) is not None]))]
        elif kind in ("add", "mul"):
            inputs = [draw(pick), draw(pick)]
        elif kind in WRITES:
            refs = [i for i in valued if nodes[i].kind == "variable" or nodes[i].kind in WRITES]
            inputs = [draw(st.sampled_from(refs)), draw(pick)]
        controls = draw(st.lists(st.integers(0, len(nodes) - 1), max_size=2, unique=True))
        nodes.append(Node(kind, inputs, controls, draw(numbers)))
    for _ in range(draw(st.integers(0, 2))):
        late, early = (draw(st.integers(0, len(nodes) - 1)) for _ in range(2))
        if late > early and nodes[early].kind != "variable" and early not in ancestors(nodes, late):
            nodes[early].controls.append(late)
    fetches = draw(st.lists(st.integers(0, len(nodes) - 1), min_size=1, max_size=5))
    return Program(nodes, fetches, starts)


def root_of(nodes: list[Node], i: int) -> int | None:
    """The variable that node i names or aliases."""
    node = nodes[i]
    if node.kind == "variable":
        return i
    if node.kind == "read" or node.kind in WRITES:
        return root_of(nodes, node.inputs[0])
    return None


def ancestors(nodes: list[Node], i: int) -> set[int]:
    """All nodes that data or control edges order before node i, and i itself."""
    seen: set[int] = set()
    stack = [i]
    while stack:
        n = stack.pop()
        if n not in seen:
            seen.add(n)
            stack += nodes[n].inputs + nodes[n].controls
    return seen


def _canonical_order(nodes: list[Node], needed: set[int]) -> list[int]:
    """The topological order that takes the least id first."""
    waits = {n: {*nodes[n].inputs, *nodes[n].controls} & needed for n in needed}
    ready = [n for n in needed if not waits[n]]
    heapq.heapify(ready)
    order = []
    while ready:
        n = heapq.heappop(ready)
        order.append(n)
        for m in needed:
            if n in waits[m]:
                waits[m].discard(n)
                if not waits[m]:
                    heapq.heappush(ready, m)
    return order


def interpret(program: Program, state: dict[int, float]) -> tuple[list[float | None], dict[int, float]]:
    """The fetched values (None for a noop) and the variables after one step that begins in `state`."""
    nodes = program.nodes
    needed = set().union(*(ancestors(nodes, f) for f in program.fetches))
    order = _canonical_order(nodes, needed)
    writers: dict[int, list[int]] = {v: [] for v in state}
    for n in order:
        if nodes[n].kind in WRITES:
            root = root_of(nodes, n)
            assert root is not None
            writers[root].append(n)
    values: dict[int, float] = {}
    versions: dict[tuple[int, int], float] = {}

    def version(variable: int, number: int) -> float:
        if number == 0:
            return state[variable]
        if (variable, number) not in versions:
            node = nodes[writers[variable][number - 1]]
            given = read(writers[variable][number - 1], node.inputs[1])
            old = version(variable, number - 1) if node.kind != "assign" else 0.0
            new = {"assign": given, "assign_add": old + given, "assign_sub": old - given}[node.kind]
            versions[variable, number] = new
        return versions[variable, number]

    def read(reader: int, source: int) -> float:
        root = root_of(nodes, source)
        if root is None:
            return value(source)
        before = ancestors(nodes, reader) - {reader}
        seen = [k + 1 for k, w in enumerate(writers[root]) if w in before]
        return version(root, max(seen, default=0))

    def value(n: int) -> float:
        if n not in values:
            node = nodes[n]
            if node.kind == "constant":
                values[n] = node.value
            else:
                a, b = (np.float64(read(n, i)) for i in node.inputs)
                values[n] = float(a + b if node.kind == "add" else a * b)
        return values[n]

    fetched: list[float | None] = []
    for f in program.fetches:
        root = root_of(nodes, f)
        if nodes[f].kind == "noop":
            fetched.append(None)
        elif root is not None:
            fetched.append(version(root, len(writers[root])))
        else:
            fetched.append(value(f))
    after = {v: version(v, len(w)) for v, w in writers.items()}
    return fetched, after
