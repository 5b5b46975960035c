"""A graph as notebooks show it and keep it: images as data URLs, no larger than a page should be."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from typing import Final

from ferroflow._src.drawing.boxes import ScopeIndex, collapsed
from ferroflow._src.drawing.nodes import Node, nodes_of_operations
from ferroflow._src.drawing.svg import escaped, view_svg
from ferroflow._src.framework.graph import register_notebook_view

# Bytes: a notebook that is saved keeps the outputs of all its cells.
LARGEST: Final = 60_000
# Scopes that surround a model in every graph, and hides it: drawn apart, as TensorBoard does.
_ASIDE: Final = re.compile(r"(gradients|save|init|report_uninitialized_\w+|group_deps)(_\d+)?(/|$)")
_FEWEST: Final = 8


def notebook_html(nodes: Sequence[Node]) -> str:
    """Draws a graph with its name scopes folded, and the scopes in it as far as there is room.

    A notebook that is not trusted shows it, too: it has no scripts and no inline SVG.

    Args:
        nodes: all nodes of the graph.

    Returns:
        str, an element of HTML of at most `LARGEST` bytes.
    """
    aside: dict[str, list[Node]] = {}
    shown: list[Node] = []
    for node in nodes:
        match = _ASIDE.match(node.name)
        if match:
            aside.setdefault(node.name.split("/")[0], []).append(node)
        else:
            shown.append(node)
    if not shown:
        shown, aside = list(nodes), {}
    index = ScopeIndex(shown)
    counts = ", ".join(f"{escaped(name)} ({len(members):,})" for name, members in aside.items())
    heading = f"<div>Graph: {len(nodes):,} nodes</div>"
    ending = f"<div>set aside: {counts}</div>" if 0 < len(counts) < LARGEST // 10 else ""
    room = LARGEST - len((heading + ending).encode()) - len("<div></div>") - _NOTE_ROOM
    picture = _fitting(index, "", room)
    parts, room = [heading, picture], room - len(picture)
    left_out = 0
    # Breadth first: what there is room for are the outer scopes.
    waiting = [""]
    for scope in waiting:
        for box in collapsed(index, scope).boxes:
            if box.outside or box.key == scope or len(index.members(box.key)) < 2:
                continue
            if left_out:
                left_out += 1
                continue
            folded = (
                f"<details><summary>{escaped(box.key)} ({escaped(box.note)})</summary>"
                f"{_image(view_svg(collapsed(index, box.key), titles=False))}</details>"
            )
            if len(folded.encode()) > room:
                left_out += 1
                continue
            room -= len(folded.encode())
            parts.append(folded)
            waiting.append(box.key)
    if left_out:
        parts.append("<div>more scopes are in the page that `ferroflow graph --html` writes</div>")
    return f"<div>{''.join([*parts, ending])}</div>"


_NOTE_ROOM: Final = 100


def _image(svg: str) -> str:
    content = base64.b64encode(svg.encode()).decode()
    return f'<img alt="graph" src="data:image/svg+xml;base64,{content}"/>'


def _fitting(index: ScopeIndex, scope: str, room: int) -> str:
    """Returns the image of a scope with as many boxes as there is room for."""
    limit = 300
    while True:
        image = _image(view_svg(collapsed(index, scope, limit), titles=False))
        if len(image) <= room or limit <= _FEWEST:
            return image
        limit = max(_FEWEST, limit * 2 // 3)


register_notebook_view(lambda operations: notebook_html(nodes_of_operations(operations)))
