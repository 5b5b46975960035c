"""Random programs give here what they give in TensorFlow 1.15: shapes, dtypes, names, values, gradients and errors."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
import pytest
from differential.campaign import FAMILIES, campaign, check, is_careless
from differential.comparison import Difference, differences
from differential.processes import Pair
from differential.rounding import is_undetermined

_TENSORFLOW = os.environ.get("FERROFLOW_TENSORFLOW_PYTHON")
pytestmark = pytest.mark.skipif(
    _TENSORFLOW is None, reason="FERROFLOW_TENSORFLOW_PYTHON names no Python with TensorFlow"
)


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    made = Pair(str(_TENSORFLOW))
    yield made
    made.close()


@pytest.mark.parametrize("family", FAMILIES)
def test_programs_do_what_they_do_in_tensorflow(family: str, pair: Pair, request: pytest.FixtureRequest) -> None:
    seconds = request.config.getoption("--differential-seconds") / len(FAMILIES)
    seed = request.config.getoption("--differential-seed")
    found = [finding for finding in campaign(pair, seconds, seed, [family]) if finding is not None]
    assert found == [], "\n".join(map(str, found))


def _sum_of(value: float) -> dict[str, object]:
    steps = [["x", "placeholder", [{"tf": "float32"}], {}], ["y", "add", [{"ref": "x"}, value], {"name": "sum"}]]
    runs = [{"fetch": {"ref": "y"}, "feed": [[{"ref": "x"}, {"array": ["float32", [2], [1.0, 2.0]]}]]}]
    return {"about": "sum", "seed": 1, "exact": False, "steps": steps, "runs": runs}


def test_equal_programs_do_not_differ(pair: Pair) -> None:
    assert check(pair, _sum_of(1.0)) == []


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (lambda outcome: outcome["runs"][0]["values"][0].update(bytes="AAAAQAAAgEA="), "value"),
        (lambda outcome: outcome["runs"][0]["values"][0].update(dtype="float64"), "fetched dtype"),
        (lambda outcome: outcome["runs"][0]["values"][0].update(shape=[2, 1]), "fetched shape"),
        (lambda outcome: outcome["runs"].__setitem__(0, {"error": ["ValueError"], "message": ""}), "error"),
        (lambda outcome: outcome["static"]["y"].__setitem__(0, "other:0"), "name"),
        (lambda outcome: outcome["static"]["y"].__setitem__(1, "Mul"), "name"),
        (lambda outcome: outcome["static"]["y"].__setitem__(2, "int32"), "dtype"),
        (lambda outcome: outcome["static"]["y"].__setitem__(3, [5]), "static shape"),
        (lambda outcome: outcome.update(built={"error": ["TypeError"], "message": "", "step": "y"}), "build error"),
    ],
)
def test_a_difference_is_found(change: object, kind: str, pair: Pair) -> None:
    program = _sum_of(1.0)
    tensorflow, ours = pair.run(program)
    change(ours)  # type: ignore[operator]
    assert {difference.kind for difference in differences(program, tensorflow, ours)} == {kind}


@pytest.mark.parametrize(("number", "is_noise"), [(1.0, False), (1e8, True)])
def test_only_what_a_rounding_of_the_inputs_moves_is_noise(number: float, is_noise: bool, pair: Pair) -> None:
    steps = [["x", "placeholder", [{"tf": "float32"}], {}], ["y", "sin", [{"ref": "x"}], {}]]
    runs = [{"fetch": {"ref": "y"}, "feed": [[{"ref": "x"}, {"array": ["float32", [2], [number, number]]}]]}]
    program = {"about": "sine", "seed": 1, "exact": False, "steps": steps, "runs": runs}
    sines = [float(np.sin(number))] * 2
    wrong = Difference("value", "run 0, value 0 (1 of the greatest)", sines, [x + 0.1 for x in sines])
    assert is_undetermined(pair, program, [wrong]) == is_noise


@pytest.mark.parametrize(
    ("theirs", "ours", "counts"),
    [
        ("TypeError: x", "KeyError: x", True),
        ("ValueError: x", "no error (when run: KeyError: x)", True),
        ("no error", "IndexError: x", True),
        ("AttributeError: x", "no error", False),
        ("TypeError: x", "ValueError: x", False),
        ("no error", "ValueError: x", False),
    ],
)
def test_only_careless_answers_to_wrong_calls_count(theirs: str, ours: str, counts: bool) -> None:
    assert is_careless(Difference("build error", "step y", theirs, ours)) == counts
