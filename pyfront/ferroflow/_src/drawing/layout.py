"""Layered drawing of a directed graph: all edges point down, few edges cross, and most are straight.

Source: K. Sugiyama, S. Tagawa, M. Toda, "Methods for visual understanding of hierarchical system structures", 1981; the
horizontal places are least squares under fixed distances, by pooling adjacent violators.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

_SWEEPS = 12
_GAP = 18.0
_LAYER_GAP = 44.0
# Weight of straightness for edges that pass other layers, compared to boxes in the middle of their neighbours.
_WAYPOINT_WEIGHT = 4.0


class Layout(NamedTuple):
    """Positions in pixels, from the top left corner.

    Attributes:
        centers: list of (x, y), for each box.
        routes: list of lists of (x, top, bottom), for each edge: its position in each layer, from its source's to its
            target's. An edge that closes a cycle goes up, all others go down.
        width: float.
        height: float.
    """

    centers: list[tuple[float, float]]
    routes: list[list[tuple[float, float, float]]]
    width: float
    height: float


def _without_cycles(count: int, edges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Returns the edges, with those that close a cycle the other way round."""
    targets: list[list[int]] = [[] for _ in range(count)]
    for source, target in edges:
        targets[source].append(target)
    state = [0] * count
    back: set[tuple[int, int]] = set()
    for root in range(count):
        if state[root]:
            continue
        state[root] = 1
        stack = [(root, iter(targets[root]))]
        while stack:
            at, rest = stack[-1]
            following = next(rest, None)
            if following is None:
                state[at] = 2
                stack.pop()
            elif state[following] == 1:
                back.add((at, following))
            elif state[following] == 0:
                state[following] = 1
                stack.append((following, iter(targets[following])))
    return [(target, source) if (source, target) in back else (source, target) for source, target in edges]


def _layers(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """Returns the layer of each box: below all it reads, and what reads nothing right above its first reader."""
    targets: list[list[int]] = [[] for _ in range(count)]
    waits = [0] * count
    for source, target in edges:
        targets[source].append(target)
        waits[target] += 1
    layer = [0] * count
    sources = [box for box in range(count) if not waits[box]]
    ready = list(sources)
    while ready:
        at = ready.pop()
        for target in targets[at]:
            layer[target] = max(layer[target], layer[at] + 1)
            waits[target] -= 1
            if not waits[target]:
                ready.append(target)
    for box in sources:
        if targets[box]:
            layer[box] = min(layer[target] for target in targets[box]) - 1
    return layer


def _crossings(order: Sequence[int], place: Sequence[int], below: Sequence[Sequence[int]]) -> int:
    """Returns the number of edge crossings between a layer in its order and the next layer."""
    seen: list[int] = []
    crossings = 0
    for at in order:
        ends = sorted(place[target] for target in below[at])
        crossings += sum(len(seen) - bisect_right(seen, end) for end in ends)
        for end in ends:
            insort(seen, end)
    return crossings


def _ordered(rows: list[list[int]], above: list[list[int]], below: list[list[int]]) -> list[list[int]]:
    """Returns each layer in the order, of those that sweeps down and up find, whose edges cross least."""
    place = [0] * len(above)

    def number(row: list[int]) -> None:
        for index, at in enumerate(row):
            place[at] = index

    for row in rows:
        number(row)

    def total() -> int:
        return sum(_crossings(row, place, below) for row in rows[:-1])

    best, fewest = [list(row) for row in rows], total()
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        down = sweep % 2 == 0
        neighbours = above if down else below
        for row in rows if down else reversed(rows):
            middles = {
                at: sum(place[other] for other in neighbours[at]) / len(neighbours[at]) if neighbours[at] else place[at]
                for at in row
            }
            row.sort(key=lambda at: (middles[at], place[at]))
            number(row)
        crossings = total()
        if crossings < fewest:
            best, fewest = [list(row) for row in rows], crossings
    return best


def _spread(wanted: Sequence[float], weights: Sequence[float], halves: Sequence[float]) -> list[float]:
    """Returns the positions nearest to the requested ones, in the given order, without overlaps."""
    offsets = [0.0]
    for left, right in pairwise(halves):
        offsets.append(offsets[-1] + left + _GAP + right)
    # Pools of (sum of weights, mean, members), whose means must rise.
    pools: list[tuple[float, float, int]] = []
    for place, weight, offset in zip(wanted, weights, offsets, strict=True):
        pool = (weight, place - offset, 1)
        while pools and pools[-1][1] > pool[1]:
            before = pools.pop()
            both = before[0] + pool[0]
            pool = (both, (before[0] * before[1] + pool[0] * pool[1]) / both, before[2] + pool[2])
        pools.append(pool)
    means = [mean for _, mean, members in pools for _ in range(members)]
    return [mean + offset for mean, offset in zip(means, offsets, strict=True)]


def layered(sizes: Sequence[tuple[float, float]], edges: Sequence[tuple[int, int]]) -> Layout:
    """Computes the layout of a graph in layers.

    Args:
        sizes: (width, height) of each box, in pixels.
        edges: (source, target), indices of boxes, no two of them equal and none from a box to itself.
    """
    count = len(sizes)
    acyclic = _without_cycles(count, edges)
    layer = _layers(count, acyclic)
    rows: list[list[int]] = [[] for _ in range(max(layer, default=-1) + 1)]
    for box in range(count):
        rows[layer[box]].append(box)
    # An edge that passes layers has a waypoint in each.
    above: list[list[int]] = [[] for _ in range(count)]
    below: list[list[int]] = [[] for _ in range(count)]
    chains = []
    for source, target in acyclic:
        chain = [source]
        for between in range(layer[source] + 1, layer[target]):
            rows[between].append(len(above))
            chain.append(len(above))
            above.append([])
            below.append([])
        chain.append(target)
        for upper, lower in pairwise(chain):
            below[upper].append(lower)
            above[lower].append(upper)
        chains.append(chain)
    rows = _ordered(rows, above, below)
    halves = [width / 2 for width, _ in sizes] + [0.0] * (len(above) - count)
    x = _horizontal(rows, above, below, halves, count)
    left = min((place - half for place, half in zip(x, halves, strict=True)), default=0.0)
    x = [place - left + _GAP for place in x]
    tops: list[float] = []
    heights: list[float] = []
    y = _GAP
    for row in rows:
        heights.append(max((sizes[at][1] for at in row if at < count), default=0.0))
        tops.append(y)
        y += heights[-1] + _LAYER_GAP
    centers = [(x[box], tops[layer[box]] + heights[layer[box]] / 2) for box in range(count)]
    routes = []
    for edge, turned, chain in zip(edges, acyclic, chains, strict=True):
        passed = []
        for step, stop in enumerate(chain):
            level = layer[turned[0]] + step
            if stop < count:
                half = sizes[stop][1] / 2
                passed.append((x[stop], centers[stop][1] - half, centers[stop][1] + half))
            else:
                passed.append((x[stop], tops[level], tops[level] + heights[level]))
        routes.append(passed if edge == turned else passed[::-1])
    right = max((place + half for place, half in zip(x, halves, strict=True)), default=0.0)
    return Layout(centers, routes, right + _GAP, max(y - _LAYER_GAP, 0.0) + _GAP)


def _horizontal(
    rows: list[list[int]], above: list[list[int]], below: list[list[int]], halves: list[float], count: int
) -> list[float]:
    """Returns the horizontal place of each box and waypoint, near the middle of its neighbours."""
    x = [0.0] * len(above)
    for row in rows:
        for at, place in zip(row, _spread([0.0] * len(row), [1.0] * len(row), [halves[at] for at in row]), strict=True):
            x[at] = place
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        for row in rows if down else reversed(rows):
            wanted, weights = [], []
            for at in row:
                near = above[at] if down else below[at]
                # The last sweeps see both sides.
                near = near + (below[at] if down else above[at]) if sweep >= _SWEEPS - 4 or not near else near
                wanted.append(sum(x[other] for other in near) / len(near) if near else x[at])
                weights.append(1.0 if at < count else _WAYPOINT_WEIGHT)
            for at, place in zip(row, _spread(wanted, weights, [halves[at] for at in row]), strict=True):
                x[at] = place
    return x
