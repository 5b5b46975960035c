"""Lists of tensors that grow by a scatter: elements that TensorFlow 1.15 fills with empty tensors of float32."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from differential.comparison import Difference

Program = dict[str, Any]
_PREFIX = "raw_ops.TensorList"


class _List(NamedTuple):
    """A list that a step makes.

    Attributes:
        length: int, the number of elements.
        gaps: the places that the list got by growing, and that nothing wrote since.
        has_lost: True if an element of a gap was removed on the way, which may be an error.
        unset: the other places without a value.
    """

    length: int
    gaps: frozenset[int] = frozenset()
    has_lost: bool = False
    unset: frozenset[int] = frozenset()


class _Read(NamedTuple):
    """The parts of a result that come from gaps.

    Attributes:
        rows: the rows of a stack or gather.
        is_whole: True if all of it may.
        has_lost: as for `_List`, or True if a place without a value gets the shape that all others have.
    """

    rows: frozenset[int] = frozenset()
    is_whole: bool = False
    has_lost: bool = False


def _grown(source: _List, places: list[int]) -> _List:
    length = max([source.length, *(place + 1 for place in places)])
    gaps = (source.gaps | set(range(source.length, length))) - set(places)
    return source._replace(length=length, gaps=gaps, unset=source.unset - set(places))


def _resized(source: _List, size: int) -> _List:
    gaps = frozenset(gap for gap in source.gaps if gap < size)
    unset = frozenset(place for place in source.unset if place < size)
    return source._replace(length=size, gaps=gaps, unset=unset | set(range(source.length, size)))


def _popped(source: _List) -> tuple[_List, _Read]:
    last = source.length - 1
    is_gap = last in source.gaps
    made = _List(max(last, 0), source.gaps - {last}, source.has_lost or is_gap, source.unset - {last})
    return made, _Read(is_whole=is_gap, has_lost=made.has_lost)


def _joined(a: _List, b: _List) -> _List:
    gaps = a.gaps | {a.length + place for place in b.gaps}
    unset = a.unset | {a.length + place for place in b.unset}
    return _List(a.length + b.length, gaps, a.has_lost or b.has_lost, unset)


def _reads(program: Program) -> dict[str, _Read]:
    """Returns, for each step that reads a list, the parts of its result that come from gaps."""
    arrays: dict[str, list[Any]] = {}
    lists: dict[str, _List] = {}
    reads: dict[str, _Read] = {}
    for name, function, arguments, keywords in program["steps"]:
        if function == "constant":
            arrays[name] = arguments[0]["array"]
        if not function.startswith(_PREFIX) and function != "raw_ops.EmptyTensorList":
            continue
        names = {
            key: value["ref"].split(".")[0]
            for key, value in keywords.items()
            if isinstance(value, dict) and "ref" in value
        }
        numbers = {key: arrays[value][2] for key, value in names.items() if value in arrays}
        sources = [lists[value] for value in names.values() if value in lists]
        way = function.removeprefix(_PREFIX)
        source = sources[0] if sources else _List(0)
        if way == "Reserve":
            lists[name] = _resized(_List(0), numbers["num_elements"][0])
        elif way == "FromTensor":
            lists[name] = _List(arrays[names["tensor"]][1][0])
        elif way in ("Scatter", "ScatterV2"):
            count = numbers.get("num_elements", [-1])[0]
            length = count if count >= 0 else max(numbers["indices"], default=-1) + 1
            lists[name] = _List(length, unset=frozenset(range(length)) - set(numbers["indices"]))
        elif way == "Split":
            lists[name] = _List(len(numbers["lengths"]))
        elif way == "SetItem":
            written = set(numbers["index"])
            lists[name] = source._replace(gaps=source.gaps - written, unset=source.unset - written)
        elif way == "PushBack":
            lists[name] = source._replace(length=source.length + 1)
        elif way == "PopBack":
            lists[name], reads[name] = _popped(source)
        elif way == "Resize":
            lists[name] = _resized(source, numbers["size"][0])
        elif way == "ScatterIntoExistingList":
            lists[name] = _grown(source, numbers["indices"])
        elif way == "ConcatLists":
            lists[name] = _joined(*sources)
        elif way == "Stack":
            reads[name] = _Read(source.gaps, has_lost=source.has_lost)
        elif way == "Gather":
            rows = frozenset(row for row, place in enumerate(numbers["indices"]) if place in source.gaps)
            reads[name] = _Read(rows, has_lost=source.has_lost)
        elif way == "GetItem":
            place = numbers["index"][0]
            is_shaped = bool(source.gaps) and place in source.unset
            reads[name] = _Read(is_whole=place in source.gaps, has_lost=source.has_lost or is_shaped)
        elif way == "ConcatV2":
            reads[name] = _Read(is_whole=bool(source.gaps), has_lost=source.has_lost)
        elif way in ("Length", "ElementShape"):
            reads[name] = _Read(has_lost=source.has_lost)
        else:
            lists[name] = _List(0)
    return reads


def reads_a_gap(program: Program, difference: Difference) -> bool:
    """Returns True if a difference is one of elements that a list got by growing, and that nothing wrote."""
    run = re.match(r"run (\d+)", difference.where)
    fetch = program["runs"][int(run[1])]["fetch"] if run else None
    read = _reads(program).get(fetch["ref"].split(".")[0]) if isinstance(fetch, dict) and "ref" in fetch else None
    if read is None:
        return False
    if difference.kind == "error":
        return read.is_whole or read.has_lost or bool(read.rows)
    if read.is_whole:
        return True
    theirs, ours = np.asarray(difference.tensorflow), np.asarray(difference.ours)
    if difference.kind != "value" or not read.rows or theirs.shape != ours.shape or not theirs.ndim:
        return False
    kept = [row for row in range(len(theirs)) if row not in read.rows]
    # TensorFlow joins elements without numbers, so that the others come first, and junk after them.
    return any(np.array_equal(found, ours[kept], equal_nan=True) for found in (theirs[kept], theirs[: len(kept)]))
