"""`Item`: a node of a profile, and how a tree of them is chosen, summed, sorted and written."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from ferroflow._src.profiler.measures import COLUMNS, Measures

ROOT = "_TFProfRoot"

# TF 1.x: these minima are of an item itself, the others of all below it.
_OF_ITSELF = {"min_params": "params", "min_float_ops": "float_ops"}
_OF_ALL = {
    "min_bytes": "bytes",
    "min_peak_bytes": "peak_bytes",
    "min_residual_bytes": "residual_bytes",
    "min_output_bytes": "output_bytes",
    "min_micros": "micros",
    "min_accelerator_micros": "accelerator_micros",
    "min_cpu_micros": "cpu_micros",
}


class Item:
    """An entry of a profile, with its children.

    Args:
        name: its name.
        types: by which it is counted or not; None for what is not an operation.
        own: its own numbers.
    """

    def __init__(self, name: str, types: frozenset[str] | None = None, own: Measures | None = None) -> None:
        self.name = name
        self.types = types
        self.own = own or Measures()
        self.all = Measures()
        self.children: list[Item] = []
        self.shape: list[int] | None = None
        self.devices: frozenset[str] = frozenset()
        self.members: list[Item] = []
        self.counts = False


def _matches(name: str, expressions: Iterable[str]) -> bool:
    return any(re.fullmatch(e, name) for e in expressions)


def choose(root: Item, options: dict[str, Any]) -> Item:
    """Returns the tree below `root` that the options show, with sums; what is hidden has its children in its place.

    Args:
        root: the whole tree, whose sums are filled in.
        options: as `ProfileOptionBuilder` builds them.
    """
    begun = _begin(root, options["start_name_regexes"])
    shown = Item(ROOT)
    # An explicit stack: graphs are deeper than Python's.
    kept: dict[int, list[Item]] = {}
    stack = [(item, 1, False) for item in begun]
    while stack:
        item, depth, is_done = stack.pop()
        if not is_done:
            stack.append((item, depth, True))
            if not _matches(item.name, options["trim_name_regexes"]):
                stack.extend((child, depth + 1, False) for child in item.children)
            continue
        below = [k for child in item.children for k in kept.pop(id(child), [])]
        kept[id(item)] = _kept(item, depth, below, options)
    shown.children = [k for item in begun for k in kept.pop(id(item), [])]
    for child in shown.children if options["account_displayed_op_only"] else begun:
        shown.all.add(child.all)
    _sort(shown, options["order_by"])
    return shown


def _begin(root: Item, expressions: Sequence[str]) -> list[Item]:
    if list(expressions) == [".*"]:
        return root.children
    found, queue = [], list(root.children)
    while queue:
        item = queue.pop(0)
        if _matches(item.name, expressions):
            found.append(item)
        else:
            queue.extend(item.children)
    return found


def _kept(item: Item, depth: int, below: list[Item], options: dict[str, Any]) -> list[Item]:
    accounted = options["account_type_regexes"]
    item.counts = list(accounted) == [".*"] or any(_matches(t, accounted) for t in item.types or ())
    item.all = Measures()
    if item.counts:
        item.all.add(item.own)
    for child in below if options["account_displayed_op_only"] else item.children:
        item.all.add(child.all)
    result = Item(item.name, item.types, item.own if item.counts else Measures())
    result.all, result.counts, result.shape, result.devices = item.all, item.counts, item.shape, item.devices
    result.members = item.members
    result.children = below
    return [result] if _is_shown(item, depth, below, options) else below


def _is_shown(item: Item, depth: int, below: list[Item], options: dict[str, Any]) -> bool:
    if depth > options["max_depth"] or not (item.counts or below):
        return False
    if item.counts and any(getattr(item.own, of) < options.get(key, 0) for key, of in _OF_ITSELF.items()):
        return False
    if any(getattr(item.all, of) < options.get(key, 0) for key, of in _OF_ALL.items()):
        return False
    if item.own.occurrence and item.own.occurrence < options.get("min_occurrence", 0):
        return False
    return _matches(item.name, options["show_name_regexes"]) and not _matches(item.name, options["hide_name_regexes"])


def _sort(root: Item, order_by: str) -> None:
    stack = [root]
    while stack:
        item = stack.pop()
        if order_by == "name":
            item.children.sort(key=lambda c: c.name)
        elif order_by in COLUMNS:
            item.children.sort(key=lambda c: (-getattr(c.all, order_by), c.name))
        stack.extend(item.children)


def columns(options: dict[str, Any]) -> list[str]:
    """Returns the columns that the options select, in order; times come with their parts."""
    wanted = set(options["select"])
    if "micros" in wanted:
        wanted |= {"accelerator_micros", "cpu_micros"}
    return [name for name in COLUMNS if name in wanted]


def header(view: str, explanation: str, options: dict[str, Any]) -> list[str]:
    """Returns the lines before a profile: what its rows and columns are."""
    names = columns(options)
    lines = ["", "==================Model Analysis Report======================", "", "Doc:", f"{view}: {explanation}"]
    lines += [f"{COLUMNS[n][0]}: {COLUMNS[n][1]}" for n in names]
    return [*lines, "", "Profile:", " | ".join(["node name", *(COLUMNS[n][0] for n in names)])]


def tree_lines(root: Item, options: dict[str, Any]) -> list[str]:
    """Returns a tree, a line for each item: of each column its own number and that of all below it."""
    names = columns(options)
    lines = []
    stack = [(root, 0)]
    while stack:
        item, depth = stack.pop()
        parts = []
        if "params" in names and item.shape is not None and item.counts:
            parts.append("x".join(map(str, item.shape)) or "scalar")
        for name in names:
            text = COLUMNS[name][2]
            own = text(getattr(item.own, name)) if item.counts and item.name != ROOT else "--"
            unit = {"params": " params", "float_ops": " flops"}.get(name, "")
            parts.append(f"{own}/{text(getattr(item.all, name))}{unit}")
        if "device" in options["select"] and item.devices:
            parts.append(",".join(sorted(item.devices)))
        if "op_types" in options["select"] and item.types:
            parts.append("|".join(sorted(item.types)))
        lines.append(f"{'  ' * depth}{item.name} ({', '.join(parts)})")
        stack.extend((child, depth + 1) for child in reversed(item.children))
    return lines


def list_lines(root: Item, options: dict[str, Any]) -> list[str]:
    """Returns a list, a line for each item: of each column its number, its share with what follows it, and its own
    share.
    """
    names = columns(options)
    rest = {name: sum(getattr(c.own, name) for c in root.children) for name in names}
    whole = dict(rest)

    def percent(part: float, of: float) -> str:
        return f"{100 * part / of if of else 0:.2f}%"

    rows = []
    for item in root.children:
        cells = []
        for name in names:
            value = getattr(item.own, name)
            shares = f"({percent(rest[name], whole[name])}, {percent(value, whole[name])})"
            unit = " float_ops" if name == "float_ops" else ""
            cells.append(f"{COLUMNS[name][2](value)}{unit} {shares}")
            rest[name] -= value
        rows.append((item.name, cells))
    widths = [max((len(row[1][i]) for row in rows), default=0) for i in range(len(names))]
    longest = max((len(name) for name, _ in rows), default=0)
    return [
        f"{name:<{longest}}  " + ", ".join(f"{c:>{w}}" for c, w in zip(cells, widths, strict=True))
        for name, cells in rows
    ]


def shape_of(dims: Sequence[int | None] | None) -> list[int] | None:
    """Returns a shape that is known in full, or None."""
    return None if dims is None or None in dims else [int(n) for n in dims if n is not None]


def elements(shape: Sequence[int] | None) -> int:
    """Returns elements of a known shape, 0 of an unknown one."""
    return 0 if shape is None else math.prod(shape)
