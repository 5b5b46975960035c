"""Parts of `tf.contrib` that train models give what they give in TensorFlow 1.15.5."""

import json
import lzma
from pathlib import Path

import numpy as np
import pytest
from golden import contrib_model_programs, contrib_pruning_programs, worker_optimizer_programs as workers

import ferroflow as tf

with lzma.open(Path(__file__).parent.parent / "golden" / "contrib_models.json.xz", "rt") as file:
    GOLDEN = json.load(file)
# TF 1.15: `tf.nn.convolution` makes no constant of rates of 1.
RATES = "/convolution/dilation_rate"


def compare(found, expected, where):
    if isinstance(expected, dict):
        assert list(found) == list(expected), where
        for name, value in expected.items():
            compare(found[name], value, f"{where} {name}")
    elif isinstance(expected, (str, bool)):
        assert found == expected, where
    elif isinstance(expected, list) and any(isinstance(one, (str, list, dict)) for one in expected):
        assert len(found) == len(expected), where
        for number, (one, other) in enumerate(zip(found, expected, strict=True)):
            compare(one, other, f"{where}[{number}]")
    else:
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6, err_msg=where)


@pytest.mark.parametrize("name", contrib_pruning_programs.PROGRAMS)
def test_pruning_has_tensorflows_values_nodes_and_collections(name):
    expected = GOLDEN["pruning"][name]
    found = contrib_pruning_programs.run(tf, contrib_pruning_programs.PROGRAMS[name])
    compare(found["values"], expected["values"], name)
    nodes, expected_nodes = ([n for n in one["nodes"] if not n.endswith(RATES)] for one in (found, expected))
    assert nodes == expected_nodes
    assert found["collected"] == expected["collected"]


@pytest.mark.parametrize("name", contrib_model_programs.PROGRAMS)
def test_a_program_has_tensorflows_values_and_variables(name):
    expected = GOLDEN["models"][name]
    found = contrib_model_programs.run(tf, contrib_model_programs.PROGRAMS[name])
    compare(found["values"], expected["values"], name)
    assert found["variables"] == expected["variables"]


@pytest.mark.parametrize("kind", workers.KINDS)
def test_a_worker_alone_has_tensorflows_variables(kind):
    compare(workers.alone(tf, kind), GOLDEN["alone"][kind], kind)


@pytest.mark.parametrize("kind", workers.KINDS)
def test_two_workers_and_a_parameter_server_have_tensorflows_variables(kind):
    compare(workers.cluster(tf, kind), GOLDEN["cluster"][kind], kind)


def test_every_golden_program_is_compared():
    assert set(GOLDEN["pruning"]) == set(contrib_pruning_programs.PROGRAMS)
    assert set(GOLDEN["models"]) == set(contrib_model_programs.PROGRAMS)
    assert set(GOLDEN["alone"]) == set(GOLDEN["cluster"]) == set(workers.KINDS)
