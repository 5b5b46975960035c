"""Programs of single ops: calls of the corpus with other shapes, dtypes, elements, attributes and static shapes."""

from __future__ import annotations

import copy
import functools
import json
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from differential import written_calls
from differential.comparison import EXACT

from ferroflow import _core

Call = dict[str, Any]
_FLOATS = ("float16", "bfloat16", "float32", "float64")
_COMPLEX = ("complex64", "complex128")
_INTS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_DTYPES = (*_FLOATS, *_COMPLEX, *_INTS, "bool", "string", "float32", "float64", "int32", "int64")
_SPECIAL = (float("nan"), float("inf"), float("-inf"), -0.0, 0.0, 1e30, -1e30, 1e-20, 0.5, -0.5, 1.5, 2.5)
_WHOLE = (-1, -2, 0, 0, 1, 2, 3, 5, 7, 100)
_WORDS = ("", "a", "1", "-0x1F", "1e400", "nan", " 12 ", "\xe9\xff", "a,b;c", "abc\x00d")
# Attributes of text, and what each may be.
_TEXTS = {
    "padding": ("SAME", "VALID"),
    "data_format": ("NHWC", "NCHW", "NDHWC", "NCDHW"),
    "mode": ("REFLECT", "SYMMETRIC", "MIN_COMBINED"),
    "unit": ("BYTE", "UTF8_CHAR"),
    "combiner": ("sum", "mean", "sqrtn"),
}
# The pools of gradients whose `orig_output` is their output.
_POOLED = {
    **{name: "MaxPool" for name in ("MaxPoolGrad", "MaxPoolGradGrad")},
    **{name: "MaxPoolV2" for name in ("MaxPoolGradV2", "MaxPoolGradGradV2")},
    **{name: "MaxPool3D" for name in ("MaxPool3DGrad", "MaxPool3DGradGrad")},
}
_MOST_ELEMENTS = 600
_BEYOND_INT32 = (1 << 31, (1 << 32) + 1)


@functools.cache
def corpus() -> dict[str, list[Call]]:
    """The calls of each op that tests of single ops make."""
    lines = (Path(__file__).parent / "corpus.jsonl").read_text().splitlines()
    return _by_op(json.loads(line) for line in lines)


@functools.cache
def _written() -> dict[str, list[Call]]:
    """The other calls of each op."""
    return _by_op(written_calls.calls())


def _by_op(calls: Iterable[Call]) -> dict[str, list[Call]]:
    found: dict[str, list[Call]] = {}
    for call in calls:
        found.setdefault(call["op"], []).append(call)
    return found


def _arrays(call: Call) -> Iterator[list[Any]]:
    """The [dtype, shape, elements] of all inputs, to be changed in place."""
    for data in call["inputs"].values():
        for item in data if isinstance(data, list) else [data]:
            yield item["array"]


def _count(shape: list[int]) -> int:
    return int(np.prod(shape, dtype=np.int64))


def _refit(array: list[Any], shape: list[int]) -> None:
    """Gives an array another shape; its elements are repeated or cut."""
    count, elements = _count(shape), array[2]
    if count > _MOST_ELEMENTS:
        return
    if not elements:
        elements = [_convert(1, array[0])]
    array[1], array[2] = shape, (elements * (count // len(elements) + 1))[:count]


def _convert(element: Any, dtype: str) -> Any:
    if isinstance(element, list):
        element = element[0]
    if dtype == "string":
        return element if isinstance(element, str) else str(element)
    if isinstance(element, str):
        element = len(element)
    if dtype == "bool":
        return bool(element)
    if dtype in _FLOATS:
        return float(element)
    if dtype in _COMPLEX:
        return [float(element), 0.5]
    whole = int(element) if np.isfinite(element) else 0
    limits = np.iinfo(dtype.lstrip("q"))
    return min(max(whole, limits.min), limits.max)


def _resize(call: Call, rng: random.Random) -> None:
    """One size of dimensions becomes another, wherever it occurs, and mostly where it is a value."""
    sizes = sorted({n for array in _arrays(call) for n in array[1] if n})
    if not sizes:
        return
    old = rng.choice(sizes)
    new = rng.choice((0, 0, 1, 2, 3, old + 1))
    for array in _arrays(call):
        if rng.random() < 0.93 and old in array[1]:
            _refit(array, [new if n == old else n for n in array[1]])
        if array[0] in ("int32", "int64") and len(array[2]) <= 8 and rng.random() < 0.4:
            array[2] = [new if n == old else n for n in array[2]]


def _reshape_one(call: Call, rng: random.Random) -> None:
    arrays = list(_arrays(call))
    if not arrays:
        return
    array = rng.choice(arrays)
    shape = list(array[1])
    change = rng.choice(("drop", "add", "size", "size", "one", "scalar", "empty"))
    if change == "drop" and shape:
        del shape[rng.randrange(len(shape))]
    elif change == "add":
        shape.insert(rng.randint(0, len(shape)), rng.choice((0, 1, 2)))
    elif change in ("size", "one") and shape:
        place = rng.randrange(len(shape))
        shape[place] = 1 if change == "one" else max(0, shape[place] + rng.choice((-1, 1, 2)))
    elif change == "scalar":
        shape = []
    elif change == "empty":
        shape = [0] * max(len(shape), 1)
    _refit(array, shape)


def _rerank(call: Call, rng: random.Random) -> None:
    """All arrays of the greatest rank lose or get a leading dimension."""
    rank = max((len(array[1]) for array in _arrays(call)), default=0)
    add = rng.random() < 0.5
    size = rng.choice((0, 1, 2, 2))
    for array in _arrays(call):
        if len(array[1]) == rank and array[0] not in ("int32", "int64"):
            _refit(array, [size, *array[1]] if add else array[1][1:])


def _retype(call: Call, rng: random.Random) -> None:
    dtypes = sorted({array[0] for array in _arrays(call)})
    if not dtypes:
        return
    old, new = rng.choice(dtypes), rng.choice(_DTYPES)
    for array in _arrays(call):
        if array[0] == old and rng.random() < 0.95:
            array[0], array[2] = new, [_convert(element, new) for element in array[2]]
    for name, value in call["attributes"].items():
        if value == {"tf": old} and rng.random() < 0.9:
            call["attributes"][name] = {"tf": new}


def _special(call: Call, rng: random.Random) -> None:
    arrays = [array for array in _arrays(call) if array[2]]
    if not arrays:
        return
    array = rng.choice(arrays)
    dtype, elements = array[0], list(array[2])
    for _ in range(rng.choice((1, 1, 2, len(elements)))):
        place = rng.randrange(len(elements))
        if rng.random() < 0.25:
            elements[place] = elements[rng.randrange(len(elements))]
        elif dtype in _FLOATS:
            elements[place] = rng.choice(_SPECIAL)
        elif dtype in _COMPLEX:
            elements[place] = [rng.choice(_SPECIAL), rng.choice(_SPECIAL)]
        elif dtype == "string":
            elements[place] = rng.choice(_WORDS)
        elif dtype == "bool":
            elements[place] = not elements[place]
        else:
            elements[place] = _convert(rng.choice(_WHOLE), dtype)
    array[2] = elements


def _redraw(call: Call, rng: random.Random) -> None:
    scale = rng.choice((0.1, 1.0, 1.0, 3.0, 30.0))
    for array in _arrays(call):
        if array[0] in _FLOATS:
            array[2] = [float(np.float32(rng.gauss(0, scale))) for _ in array[2]]
        elif array[0] in _COMPLEX:
            array[2] = [[rng.gauss(0, scale), rng.gauss(0, scale)] for _ in array[2]]
        elif array[0] == "string":
            array[2] = [rng.choice((word, rng.choice(_WORDS))) for word in array[2]]


def _attribute(call: Call, rng: random.Random) -> None:
    names = sorted(call["attributes"])
    if not names:
        return
    name = rng.choice(names)
    value = call["attributes"][name]
    new: Any = value
    if isinstance(value, bool):
        new = not value
    elif isinstance(value, int):
        new = rng.choice((value + 1, value - 1, -1, 0, 1, 2, value * 2, *_BEYOND_INT32))
    elif isinstance(value, float):
        new = rng.choice((0.0, -value, value * 2, 0.5, 1.0))
    elif isinstance(value, dict) and "tf" in value:
        new = {"tf": rng.choice(_DTYPES)}
    elif isinstance(value, dict) and "bytes" in value:
        new = {"bytes": rng.choice(_TEXTS.get(name, (value["bytes"], "", ",", "x")))}
    elif isinstance(value, dict) and "shape" in value:
        shape = value["shape"]
        new = {"shape": rng.choice((None, [], shape, [None, *(shape or [])], [None for _ in shape or []], [2]))}
    elif isinstance(value, list) and value and isinstance(value[0], (int, float)) and not isinstance(value[0], bool):
        new = list(value)
        new[rng.randrange(len(new))] = rng.choice((0, -1, 1, 2, 3, new[0], *_BEYOND_INT32))
        new = rng.choice((new, new, new, new[:-1], [*new, 1]))
    call["attributes"][name] = new


_CHANGES: tuple[Callable[[Call, random.Random], None], ...] = (
    *(_resize, _resize, _resize, _reshape_one, _rerank, _retype, _retype, _special, _special),
    *(_redraw, _attribute),
)


def _static_shape(shape: list[int], rng: random.Random) -> list[int | None] | None:
    chance = rng.random()
    if chance < 0.45:
        return list(shape)
    if chance < 0.6:
        return None
    if chance < 0.75:
        return [None for _ in shape]
    return [None if rng.random() < 0.5 else n for n in shape]


def program_of(call: Call, rng: random.Random, constants: float = 0.3, gradient: bool = False) -> dict[str, Any]:
    """A program that runs a call, or the gradient of its first result."""
    steps: list[Any] = []
    feed: list[Any] = []
    floats: list[dict[str, str]] = []

    def source(data: dict[str, Any]) -> dict[str, str]:
        dtype, shape, _ = data["array"]
        name = f"in_{len(steps)}"
        quantized = dtype
        if dtype.startswith("q"):
            # The numbers of a quantized type are those of the whole numbers of its width.
            dtype, name = dtype[1:], f"{name}_whole"
            data = {"array": [dtype, *data["array"][1:]]}
        if rng.random() < constants:
            steps.append([name, "constant", [data], {"dtype": {"tf": dtype}}])
        else:
            static = {"shape": _static_shape(shape, rng)}
            steps.append([name, "placeholder", [{"tf": dtype}, static], {}])
            feed.append([{"ref": name}, data])
        if quantized != dtype:
            steps.append([f"in_{len(steps)}", "bitcast", [{"ref": name}, {"tf": quantized}], {}])
            return {"ref": steps[-1][0]}
        if dtype in _FLOATS + _COMPLEX:
            floats.append({"ref": name})
        return {"ref": name}

    arguments = {
        name: [source(d) for d in data] if isinstance(data, list) else source(data)
        for name, data in call["inputs"].items()
    }
    attributes = dict(call["attributes"])
    pooling = _POOLED.get(call["op"])
    if pooling is not None and rng.random() < 0.8:
        # Gradients of pools are called with a pool's output.
        given = {name: arguments[name] for name in ("ksize", "strides") if name in arguments}
        pooled = {"input": arguments["orig_input"], **given, **attributes}
        steps.append(["pooled", f"raw_ops.{pooling}", [], pooled])
        arguments["orig_output"] = {"ref": "pooled"}
    if attributes.get("seed") == 0 and attributes.get("seed2") == 0:
        attributes["seed"] = 7
    steps.append(["y", f"raw_ops.{call['op']}", [], {**arguments, **attributes}])
    fetch: Any = {"ref": "y"}
    about = call["op"]
    outputs = _core.op_info(call["op"])["outputs"]
    if gradient and floats and outputs:
        first = "y" + ".0" * (len(outputs) > 1) + ".0" * outputs[0]["is_list"]
        steps.append(["g", "gradients", [{"ref": first}, floats], {}])
        fetch, about = {"ref": "g"}, f"gradient of {about}"
    # The sign of a complex number is a quotient.
    is_quotient = call["op"] == "Sign" and any(data["array"][0] in _COMPLEX for data in call["inputs"].values())
    exact = call["op"] in EXACT and not gradient and not is_quotient
    return {"about": about, "seed": 1, "exact": exact, "steps": steps, "runs": [{"fetch": fetch, "feed": feed}]}


def program(number: int) -> dict[str, Any]:
    """The program of a number: a call that a test of a single op makes, changed."""
    return _changed(number, corpus())


def written_program(number: int) -> dict[str, Any]:
    """The program of a number: another call, changed."""
    return _changed(number, _written())


def changed(call: Call, rng: random.Random, changes: int) -> Call:
    """Returns a copy of a call with so many random changes."""
    call = copy.deepcopy(call)
    for _ in range(changes):
        rng.choice(_CHANGES)(call, rng)
    return call


def _changed(number: int, calls: dict[str, list[Call]]) -> dict[str, Any]:
    rng = random.Random(number)
    ops = sorted(calls)
    # Every op in turn.
    call = rng.choice(calls[ops[number % len(ops)]])
    call = changed(call, rng, rng.choice((0, 1, 1, 2, 2, 3)))
    return program_of(call, rng, rng.choice((0.0, 0.3, 1.0)), gradient=rng.random() < 0.3)
