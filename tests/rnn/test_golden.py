"""Recurrent networks' variables, results and gradients are TensorFlow's."""

import json
from pathlib import Path

import numpy as np
import pytest
from golden.rnn_programs import CASES, describe

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "rnn.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES)
def test_a_network_is_tensorflows(case):
    expected = GOLDEN[case]
    found = json.loads(json.dumps(describe(tf, case)))
    # TensorFlow 2 has other operations for dropout, and names of its own for them.
    for key in ("variables", "shapes") if "dropout" in case else ("variables", "shapes", "results"):
        assert found[key] == expected[key]
    np.testing.assert_allclose(found["values"], expected["values"], rtol=1e-4, atol=2e-5)


def test_every_golden_network_is_compared():
    assert set(GOLDEN) == set(CASES)


def test_the_nodes_of_a_loop_have_tensorflows_names():
    names = set(describe(tf, "dynamic_lengths/basic")["names"])
    assert {
        "rnn/transpose",
        "rnn/sequence_length",
        "rnn/CheckSeqLen",
        "rnn/Assert/Assert",
        "rnn/BasicRNNCellZeroState/zeros",
        "rnn/TensorArray",
        "rnn/TensorArray_1",
        "rnn/TensorArrayUnstack/TensorArrayScatter/TensorArrayScatterV3",
        "rnn/while/Enter",
        "rnn/while/TensorArrayReadV3",
        "rnn/while/basic_rnn_cell/MatMul",
        "rnn/while/GreaterEqual",
        "rnn/while/Select",
        "rnn/while/TensorArrayWrite/TensorArrayWriteV3",
        "rnn/while/Exit_3",
        "rnn/TensorArrayStack/TensorArrayGatherV3",
        "rnn/transpose_1",
    } <= names
