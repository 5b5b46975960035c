"""Graphs of programs that differentiate are TensorFlow's, name by name."""

import json
from pathlib import Path

import pytest
from golden.gradient_programs import PROGRAMS, describe

import ferroflow as tf

PARTS = json.loads((Path(__file__).parent.parent / "golden" / "gradient_names.json").read_text(encoding="utf-8"))
# The graphs of TensorFlow 1.15; of 2.21 where its gradients take fewer nodes, as ours do.
GOLDEN = {**PARTS["1.15"], **PARTS["2.21"]}
_MEAN, _FACTOR = "gradients/Mean_grad/", "gradients/Mean_grad/truediv"


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_gradients_and_nodes_are_tensorflows(program):
    expected = GOLDEN[program.__name__]
    found = json.loads(json.dumps(describe(tf, program)))
    assert found["result"] == expected["result"]
    nodes = _by_name(found["nodes"])
    if program.__name__ in PARTS["2.21"]:
        # Means have the quotient of TensorFlow 1.15; the sums inside have the fewer nodes of 2.21.
        means = {name: rest for name, rest in nodes.items() if name.startswith(_MEAN)}
        golden = PARTS["means of 1.15"].get(program.__name__)
        assert golden is None or means == _without_leftovers(_by_name(golden), [*expected["result"], _FACTOR], means)
        nodes = {name: rest for name, rest in nodes.items() if name not in means}
        expected = {**expected, "nodes": [node for node in expected["nodes"] if not node[0].startswith(_MEAN)]}
    assert nodes == _without_leftovers(_by_name(expected["nodes"]), expected["result"], nodes)


def test_every_golden_program_is_compared():
    assert set(GOLDEN) == {program.__name__ for program in PROGRAMS}


def _without_leftovers(expected, result, found):
    """The nodes without those that TensorFlow made and did not use, unless they are made here too."""
    read = {name for inputs, waits in (rest[1:] for rest in expected.values()) for name in [*inputs, *waits]}
    used = {name.partition(":")[0] for name in [*read, *_flat(result)]}
    return {name: rest for name, rest in expected.items() if name in used or name in found}


def _flat(value):
    return [v for item in value for v in _flat(item)] if isinstance(value, list) else [value or ""]


def _by_name(nodes):
    return {name: rest for name, *rest in nodes}
