"""Properties of a program of one op that make a difference an accepted one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from differential.language import decode_array

Program = dict[str, Any]


def _arguments(program: Program) -> dict[str, Any]:
    """Returns the keywords of the step with the op that the program is about."""
    op = program["about"].split()[-1]
    found = [keywords for _, function, _, keywords in program["steps"] if function == f"raw_ops.{op}"]
    return found[-1] if found else {}


def _given(program: Program, argument: str) -> np.ndarray[Any, Any] | None:
    """Returns the array of an argument; None if it is not one of the program's arrays."""
    name = _arguments(program).get(argument, {}).get("ref")
    arrays = {step[0]: step[2][0] for step in program["steps"] if step[1] == "constant"}
    arrays |= {key["ref"]: data for run in program["runs"] for key, data in run.get("feed", [])}
    return decode_array(None, *arrays[name]["array"]) if name in arrays else None


def _arrays(data: Any) -> Iterator[Any]:
    if isinstance(data, dict):
        yield from [data] if "array" in data else _arrays(list(data.values()))
    elif isinstance(data, list):
        for item in data:
            yield from _arrays(item)


def has_nan(program: Program) -> bool:
    """Returns True if an array of the program has a NaN."""
    arrays = _arrays([program["steps"], program["runs"]])
    return any(isinstance(x, float) and math.isnan(x) for data in arrays for x in data["array"][2])


def has_nan_of_bfloat16(program: Program) -> bool:
    """Returns True if an array of bfloat16 in the program has a NaN."""
    arrays = [data for data in _arrays([program["steps"], program["runs"]]) if data["array"][0] == "bfloat16"]
    return has_nan({"steps": arrays, "runs": []})


def pools_otherwise(program: Program) -> bool:
    """Returns True if the `orig_output` of a pool's gradient is not a pool's output."""
    return _arguments(program).get("orig_output") != {"ref": "pooled"}


def sets_another_diagonal(program: Program) -> bool:
    """Returns True if the diagonals that `k` names are not the main one alone."""
    k = _given(program, "k")
    return k is None or bool(np.any(k))


def has_batches(program: Program) -> bool:
    """Returns True if the shape of random numbers has several batches of own parameters, or needs several batches."""
    shape = _given(program, "shape")
    return shape is None or int(np.prod(shape)) > 100


def is_empty(program: Program) -> bool:
    """Returns True if an array of the program has no elements."""
    return any(0 in data["array"][1] for data in _arrays([program["steps"], program["runs"]]))


def asks_for_an_element_shape(program: Program) -> bool:
    """Returns True if a step of the program reads the shape of a list's elements."""
    return any(step[1] == "raw_ops.TensorListElementShape" for step in program["steps"])


def grows_a_list(program: Program) -> bool:
    """Returns True if a step of the program writes to places of a list that may not exist yet."""
    return any(step[1] == "raw_ops.TensorListScatterIntoExistingList" for step in program["steps"])
