"""Finds the differences of float32 that are rounding: in float64 the sides agree, and ours is no less exact."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
from differential.accepted import reason
from differential.comparison import Difference, decode, differences
from differential.processes import Pair

# How much greater our greatest error may be than TensorFlow's: both are sums of roundings in some order.
_FACTOR = 4.0


def _in_float64(program: dict[str, Any]) -> dict[str, Any]:
    """Returns the program with all its numbers of float32 in float64."""
    made: dict[str, Any] = json.loads(json.dumps(program).replace('"float32"', '"float64"'))
    return made


def _exact(outcome: dict[str, Any], run: int, place: int) -> Any:
    """Returns the float64 array of a fetched value; None if there is none."""
    runs = outcome.get("runs", [])
    values = runs[run].get("values") if run < len(runs) else None
    if values is None or values[place] is None or values[place]["dtype"] != "float64":
        return None
    return decode(values[place])


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
    if any(reason(program["about"], difference) is None for difference in differences(program, tensorflow, ours)):
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
