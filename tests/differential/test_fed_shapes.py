"""Random programs have the same bits with and without plans for the shapes of feeds; no TensorFlow is needed."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from differential.fed_shapes import FAMILIES, Finding, campaign, check
from differential.hidden_sizes import calls, difference, places

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Programs of savers write files to the working folder."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("family", FAMILIES)
def test_programs_do_the_same_with_plans_for_the_shapes_of_feeds(family: str, request: pytest.FixtureRequest) -> None:
    seconds = request.config.getoption("--fed-shapes-seconds") / len(FAMILIES)
    seed = request.config.getoption("--fed-shapes-seed")
    found = [finding for finding in campaign(seconds, seed, [family]) if isinstance(finding, Finding)]
    assert found == [], "\n".join(map(str, found))


# The part of the corpus that one number of the option tests.
_PARTS = 24


def test_no_rule_takes_sizes_and_numbers_of_a_step_for_granted(request: pytest.FixtureRequest) -> None:
    seed = request.config.getoption("--fed-shapes-seed")
    found = [difference(call, hidden) for call in calls(seed, _PARTS) for hidden in places(call)]
    assert [told for told in found if told is not None] == []


def _loss(rows: int) -> dict[str, object]:
    """Returns a program of the loss of so many rows."""
    array = {"array": ["float32", [2, 3], np.ones(6).tolist()]}
    logits = {"array": ["float32", [rows, 3], np.ones(3 * rows).tolist()]}
    call = {"features": {"ref": "x"}, "labels": {"ref": "y"}}
    steps = [
        ["x", "placeholder", [{"tf": "float32"}], {}],
        ["y", "placeholder", [{"tf": "float32"}], {}],
        ["z", "raw_ops.SoftmaxCrossEntropyWithLogits", [], call],
    ]
    runs = [{"fetch": {"ref": "z.0"}, "feed": [[{"ref": "x"}, logits], [{"ref": "y"}, array]]}]
    return {"about": "loss", "seed": 1, "exact": False, "steps": steps, "runs": runs}


def test_a_program_that_can_be_built_is_compared() -> None:
    known, told, is_sound = check(_loss(2), 0)
    assert (known, told, is_sound) == ("nothing", None, True)


def test_a_difference_is_found() -> None:
    with mock.patch("differential.fed_shapes.encode", side_effect=({"value": i, "shape": []} for i in range(10**6))):
        assert check(_loss(2), 0)[1] is None, "what differs between two general sessions, too, is none"
    calls = iter(range(10**6))
    with mock.patch("differential.fed_shapes._compared", side_effect=lambda *_: (("told", None)[next(calls)], True)):
        assert check(_loss(2), 0)[1] == "told"
