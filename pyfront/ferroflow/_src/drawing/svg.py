"""An image of a graph as SVG, and as a page of HTML in which every name scope opens."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from ferroflow._src.drawing.boxes import Box, Edge, ScopeIndex, View, collapsed
from ferroflow._src.drawing.layout import Layout, layered
from ferroflow._src.drawing.nodes import Node

_FONT = "font-family='Helvetica, Arial, sans-serif'"
# (fill, outline, radius of the corners) of each kind of box.
_LOOK = {
    "scope": ("#e8eef7", "#5b7fb0", 7),
    "variable": ("#fdeccf", "#c08a2b", 3),
    "input": ("#dcf0dd", "#4d9a55", 14),
    "constant": ("#f3f3f3", "#a0a0a0", 14),
    "operation": ("#ffffff", "#6b7280", 14),
}
_HEIGHT = 36.0
# The widest letters of the font are about this wide, in pixels, at the sizes of labels and of notes.
_LETTER, _SMALL_LETTER = 7.0, 5.6
_LONGEST = 34
# A page of a large graph shows its outermost scopes, as far as this many boxes go.
_BOXES_OF_A_PAGE = 1500
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})
# Characters that XML cannot hold, in any notation.
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


_TITLE = re.compile("<title>[^<]*</title>")


def escaped(text: str) -> str:
    """Returns a text as XML holds it.

    Args:
        text: str.
    """
    return _NO_XML.sub("\ufffd", text).translate(_ENTITIES)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST // 2 - 1] + "…" + text[-_LONGEST // 2 :]


def _size(box: Box, ports: int) -> tuple[float, float]:
    text = max(len(_cut(box.label)) * _LETTER, len(_cut(box.note)) * _SMALL_LETTER)
    return max(text + 22.0, min(ports * 10.0, 240.0), 52.0), _HEIGHT


def _box_svg(box: Box, center: tuple[float, float], size: tuple[float, float]) -> str:
    fill, outline, radius = _LOOK[box.kind]
    x, y = center
    width, height = size
    place = f"x='{x - width / 2:.1f}' y='{y - height / 2:.1f}' width='{width:.1f}' height='{height:.1f}'"
    dashes = " stroke-dasharray='4 3' fill-opacity='0.35'" if box.outside else ""
    return (
        f"<g><title>{escaped(box.title)}</title>"
        f"<rect {place} rx='{radius}' fill='{fill}' stroke='{outline}'{dashes}/>"
        f"<text x='{x:.1f}' y='{y - 2:.1f}' font-size='12' fill='#1f2937'>{escaped(_cut(box.label))}</text>"
        f"<text x='{x:.1f}' y='{y + 11:.1f}' font-size='10' fill='#6b7280'>{escaped(_cut(box.note))}</text></g>"
    )


class _Ends(NamedTuple):
    """Points at which an edge leaves and enters its boxes, and the distance to the next edge there."""

    leaves: float
    enters: float
    room_above: float
    room_below: float


def _edge_svg(edge: Edge, route: Sequence[tuple[float, float, float]], ends: _Ends, what: str) -> str:
    down = route[-1][1] >= route[0][1]
    # (x, where it comes in, where it goes out) of each layer in the direction of the edge.
    passed = [(x, top, bottom) if down else (x, bottom, top) for x, top, bottom in route]
    x, y = ends.leaves, passed[0][2]
    way = [f"M{x:.1f} {y:.1f}"]
    tip = 5.0 if down else -5.0
    for step, (to, come, leave) in enumerate(passed[1:], start=1):
        last = step == len(passed) - 1
        to, come = (ends.enters, come - tip) if last else (to, come)
        middle = (y + come) / 2
        way.append(f"C{x:.1f} {middle:.1f} {to:.1f} {middle:.1f} {to:.1f} {come:.1f}")
        if not last:
            way.append(f"V{leave:.1f}")
        x, y = to, leave
    end = passed[-1][1]
    colour = "#6b7280" if edge.tensors else "#b0b7c3"
    dashes = "" if edge.tensors else " stroke-dasharray='3 3'"
    thickness = 1.0 + min(math.log2(max(edge.tensors, 1)) * 0.6, 3.0)
    head = f"M{x - 3:.1f} {end - tip * 1.2:.1f}L{x + 3:.1f} {end - tip * 1.2:.1f}L{x:.1f} {end:.1f}Z"
    width = len(edge.label) * _SMALL_LETTER
    label = ""
    if edge.label and max(ends.room_above, ends.room_below) >= width:
        below = ends.room_below >= width
        at, level = (ends.enters, end - 2.4 * tip) if below else (ends.leaves, passed[0][2] + 3.4 * tip)
        label = (
            f"<text x='{at:.1f}' y='{level + 1:.1f}' font-size='9' fill='#4b5563' stroke='#ffffff'"
            f" stroke-width='3' paint-order='stroke'>{escaped(edge.label)}</text>"
        )
    return (
        f"<g><title>{escaped(what)}</title>"
        f"<path d='{' '.join(way)}' fill='none' stroke='{colour}' stroke-width='{thickness:.1f}'{dashes}/>"
        f"<path d='{head}' fill='{colour}'/>{label}</g>"
    )


def _ends(view: View, layout: Layout, sizes: list[tuple[float, float]]) -> list[_Ends]:
    """Returns the points at which each edge leaves and enters: side by side along a box, ordered by their other
    ends.
    """
    sides: dict[tuple[int, bool], list[tuple[float, int, int]]] = {}
    for index, (edge, route) in enumerate(zip(view.edges, layout.routes, strict=True)):
        down = route[-1][1] >= route[0][1]
        sides.setdefault((edge.source, down), []).append((route[1][0], index, 0))
        sides.setdefault((edge.target, not down), []).append((route[-2][0], index, 1))
    places = [[0.0] * 4 for _ in view.edges]
    for (box, _), ends in sides.items():
        width = sizes[box][0]
        step = min((width - 20.0) / max(len(ends) - 1, 1), 22.0)
        first = layout.centers[box][0] - step * (len(ends) - 1) / 2
        for number, (_, index, end) in enumerate(sorted(ends)):
            places[index][end] = first + step * number
            places[index][end + 2] = step if len(ends) > 1 else width
    return [_Ends(*place) for place in places]


def view_svg(view: View, titles: bool = True) -> str:
    """Draws a view.

    Args:
        view: View.
        titles: bool. If True, boxes and edges have titles, which an image in a page does not show.

    Returns:
        str, an SVG document.
    """
    ports = [0] * len(view.boxes)
    for edge in view.edges:
        ports[edge.source] += 1
        ports[edge.target] += 1
    sizes = [_size(box, count) for box, count in zip(view.boxes, ports, strict=True)]
    layout = layered(sizes, [(edge.source, edge.target) for edge in view.edges])
    height = layout.height + (20 if view.left_out else 0)
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{layout.width:.0f}' height='{height:.0f}'"
        f" viewBox='0 0 {layout.width:.0f} {height:.0f}' {_FONT} text-anchor='middle'>",
        "<rect width='100%' height='100%' fill='#ffffff'/>",
    ]
    ends = _ends(view, layout, sizes)
    for index, edge in enumerate(view.edges):
        what = f"{view.boxes[edge.source].key} to {view.boxes[edge.target].key}: {edge.label or 'tensor'}"
        what = what if edge.tensors else f"{view.boxes[edge.target].key} waits for {view.boxes[edge.source].key}"
        parts.append(_edge_svg(edge, layout.routes[index], ends[index], what))
    parts += [_box_svg(*item) for item in zip(view.boxes, layout.centers, sizes, strict=True)]
    if view.left_out:
        note = f"{view.left_out:,} more are not drawn"
        parts.append(
            f"<text x='{layout.width / 2:.0f}' y='{height - 8:.0f}' font-size='11' fill='#b91c1c'>{note}</text>"
        )
    drawn = "".join([*parts, "</svg>"])
    return drawn if titles else _TITLE.sub("", drawn)


def graph_svg(nodes: Sequence[Node], scope: str = "") -> str:
    """Draws one scope of a graph, the scopes in it collapsed.

    Args:
        nodes: all nodes of the graph.
        scope: str, the scope to draw, without a slash at its end; empty for the whole graph.

    Returns:
        str, an SVG document.

    Raises:
        ValueError: if there is no node in that scope.
    """
    return view_svg(collapsed(_index(nodes, scope), scope))


def _index(nodes: Sequence[Node], scope: str) -> ScopeIndex:
    index = ScopeIndex(nodes)
    if not index.has_scope(scope):
        raise ValueError(f"no node is in the scope {scope}")
    return index


def graph_html(nodes: Sequence[Node], scope: str = "") -> str:
    """Draws a graph with all its scopes, each of which is folded until it is clicked.

    Args:
        nodes: all nodes of the graph.
        scope: str, the outermost scope to draw.

    Returns:
        str, an element of HTML without scripts.

    Raises:
        ValueError: if there is no node in that scope.
    """
    index = _index(nodes, scope)
    view = collapsed(index, scope)
    room = _BOXES_OF_A_PAGE - len(view.boxes)
    # Breadth first: what there is room for are the outer scopes.
    waiting = [(scope, view)]
    inner: dict[str, list[tuple[Box, str]]] = {}
    omitted = 0
    for outer, shown in waiting:
        for box in shown.boxes:
            if box.outside or box.key == outer or len(index.members(box.key)) < 2:
                continue
            if room <= 0:
                omitted += 1
                continue
            opened = collapsed(index, box.key)
            room -= len(opened.boxes)
            inner.setdefault(outer, []).append((box, view_svg(opened)))
            waiting.append((box.key, opened))
    # Innermost first: names can have more parts than Python has frames.
    texts: dict[str, str] = {}
    for outer, _ in reversed(waiting):
        texts[outer] = "".join(
            f"<details style='margin-left:1em'><summary>{escaped(box.label)} ({escaped(box.note)})</summary>"
            f"{drawing}{texts.pop(box.key)}</details>"
            for box, drawing in inner.get(outer, ())
        )
    heading = f"<div>{escaped(scope or 'Graph')}: {len(nodes):,} nodes</div>"
    ending = f"<div>{omitted:,} more scopes are not drawn</div>" if omitted else ""
    return f"<div style='overflow-x:auto'>{heading}{view_svg(view)}{texts[scope]}{ending}</div>"
