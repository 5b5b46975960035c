"""Finds the differences that are rounding.

They are those of float32 if in float64 the sides agree, and ours is no less exact. They are also those of results that
TensorFlow itself changes as much if its inputs are moved by one rounding.
"""

from __future__ import annotations

import json
import random
import re
from typing import Any

import numpy as np
from differential.accepted import reason
from differential.comparison import TOLERANCES, Difference, decode, differences
from differential.processes import Pair

# How much greater our greatest error may be than TensorFlow's: both are sums of roundings in some order.
_FACTOR = 4.0
# Programs with moved inputs, and how much more than their results ours may differ: a step has several roundings.
_MOVES = 6
_LEAST_MOVES = 2
_MOVE_FACTOR = 8.0
_OF_MATRICES = r"(gradient of )?(Batch)?(Matrix|Cholesky|LogMatrix|SelfAdjointEig|Svd|Qr|SelfAdjoint).*"
_PRECISION = {"float16": np.finfo(np.float16).eps, "float32": np.finfo(np.float32).eps, "float64": np.finfo(float).eps}
_PRECISION |= {"complex64": _PRECISION["float32"], "complex128": _PRECISION["float64"]}


def _in_float64(program: dict[str, Any]) -> dict[str, Any]:
    """Returns the program with all its numbers of float32 in float64."""
    made: dict[str, Any] = json.loads(json.dumps(program).replace('"float32"', '"float64"'))
    return made


def _value(outcome: dict[str, Any], run: int, place: int) -> dict[str, Any] | None:
    """Returns a fetched value as data; None if there is none."""
    runs = outcome.get("runs", [])
    values = runs[run].get("values") if run < len(runs) else None
    return values[place] if values is not None and place < len(values) else None


def _exact(outcome: dict[str, Any], run: int, place: int) -> Any:
    """Returns the float64 array of a fetched value; None if there is none."""
    value = _value(outcome, run, place)
    return None if value is None or value["dtype"] != "float64" else decode(value)


def _moved(data: Any, rng: random.Random, whole: bool) -> Any:
    """Returns a copy of a program, or of a part, with each floating number in its arrays moved by one rounding.

    Args:
        data: the program or part.
        rng: source of the directions.
        whole: If True, the rounding is the one of the array's greatest number.
    """
    if isinstance(data, list):
        return [_moved(item, rng, whole) for item in data]
    if not isinstance(data, dict):
        return data
    if set(data) == {"array"} and data["array"][0] in _PRECISION:
        dtype, shape, elements = data["array"]
        numbers = np.array(elements, np.float64)
        greatest = float(np.abs(numbers[np.isfinite(numbers)]).max(initial=0))

        def moved(element: Any) -> Any:
            if isinstance(element, list):
                return [moved(part) for part in element]
            return element + rng.choice((-1, 1)) * float(_PRECISION[dtype]) * (greatest if whole else element)

        return {"array": [dtype, shape, [moved(element) for element in elements]]}
    return {key: _moved(item, rng, whole) for key, item in data.items()}


def is_undetermined(pair: Pair, program: dict[str, Any], found: list[Difference]) -> bool:
    """Returns True if all differences are of values that depend on the last digit of the program's arrays.

    TensorFlow runs the program again, with each number of its arrays moved by one rounding. Each element of ours must
    differ by little more than TensorFlow's results among themselves. Infinities and NaN must be the same on both sides.
    Factors and functions of matrices are as exact as roundings of the greatest element allow.

    Args:
        pair: the two processes.
        program: the program.
        found: its differences.
    """
    places = [re.fullmatch(r"run (\d+), value (\d+) \(.* of the greatest\)", difference.where) for difference in found]
    if any(place is None or difference.kind != "value" for place, difference in zip(places, found, strict=True)):
        return False
    whole = re.fullmatch(_OF_MATRICES, program["about"]) is not None
    outcomes = [pair.tensorflow.run(_moved(program, random.Random(seed), whole)) for seed in range(_MOVES)]
    for place, difference in zip(places, found, strict=True):
        assert place is not None
        theirs, mine = np.asarray(difference.tensorflow), np.asarray(difference.ours)
        values = [value for outcome in outcomes if (value := _value(outcome, int(place[1]), int(place[2])))]
        moves = [decode(value) for value in values]
        # A move can leave what an operation accepts, such as a matrix that has an inverse.
        if len(moves) < _LEAST_MOVES or any(move.shape != theirs.shape for move in moves):
            return False
        finite = np.isfinite(theirs)
        if mine.shape != theirs.shape or not np.array_equal(theirs[~finite], mine[~finite], equal_nan=True):
            return False
        theirs, mine = theirs[finite], mine[finite]
        spread = np.max(
            [np.where(np.isfinite(move[finite]), np.abs(move[finite] - theirs), np.inf) for move in moves],
            axis=0,
            initial=0,
        )
        tolerance = TOLERANCES[values[0]["dtype"]] * np.abs(theirs).max(initial=0)
        # An element of ours that is not finite is further away than any.
        if not (np.abs(mine - theirs) <= _MOVE_FACTOR * spread + tolerance).all():
            return False
    return True


def is_rounding(pair: Pair, program: dict[str, Any], found: list[Difference]) -> bool:
    """Returns True if all differences are of float32 values, and rounding explains them.

    The program is run again on both sides in float64. There it must not differ at all, and the greatest error of our
    float32 values against that result must not be much greater than TensorFlow's.

    Args:
        pair: the two processes.
        program: the program.
        found: its differences.
    """
    places = [re.fullmatch(r"run (\d+), value (\d+) \(.* of the greatest\)", difference.where) for difference in found]
    if '"float32"' not in json.dumps(program) or any(
        place is None or difference.kind != "value" for place, difference in zip(places, found, strict=True)
    ):
        return False
    tensorflow, ours = pair.run(_in_float64(program))
    if any(reason(program, difference) is None for difference in differences(program, tensorflow, ours)):
        return False
    for place, difference in zip(places, found, strict=True):
        assert place is not None
        exact = _exact(tensorflow, int(place[1]), int(place[2]))
        theirs, mine = (np.asarray(side, np.float64) for side in (difference.tensorflow, difference.ours))
        if exact is None or exact.shape != theirs.shape or not all(np.isfinite(x).all() for x in (exact, theirs, mine)):
            return False
        if np.abs(mine - exact).max() > _FACTOR * np.abs(theirs - exact).max():
            return False
    return True
