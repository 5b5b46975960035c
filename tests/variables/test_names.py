"""Graphs of programs with variables are TensorFlow's, name by name."""

import json
from pathlib import Path

import pytest
from golden.variable_programs import PROGRAMS, RANDOM_PROGRAMS, describe, random_scopes

import ferroflow as tf

_FOLDER = Path(__file__).parent.parent / "golden"
GOLDEN = json.loads((_FOLDER / "variable_names.json").read_text(encoding="utf-8"))
SCOPES = json.loads((_FOLDER / "scopes.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_results_nodes_and_collections_are_tensorflows(program):
    expected = GOLDEN[program.__name__]
    found = json.loads(json.dumps(describe(tf, program)))
    assert found["result"] == expected["result"]
    assert found["nodes"] == expected["nodes"]
    assert found["collections"] == expected["collections"]


def test_every_golden_program_is_compared():
    assert set(GOLDEN) == {program.__name__ for program in PROGRAMS}


@pytest.mark.parametrize("seed", range(RANDOM_PROGRAMS))
def test_scopes_nested_at_random_are_tensorflows(seed):
    found = json.loads(json.dumps(random_scopes(tf, seed)))
    expected = SCOPES[f"{seed:03}"]
    assert found["log"] == expected["log"]
    assert found["digest"] == expected["digest"]


@pytest.mark.parametrize("use_resource", [False, True])
def test_a_variable_whose_initializer_is_a_function_is_colocated_with_itself(use_resource):
    with tf.Graph().as_default():
        made = tf.Variable(lambda: tf.zeros([2]), name="v", dtype=tf.float32, use_resource=use_resource)
        got = tf.get_variable("w", [2], initializer=tf.zeros_initializer(), use_resource=use_resource)
        for variable in (made, got):
            assert variable.op.type == ("VarHandleOp" if use_resource else "VariableV2")
            assert variable.op.get_attr("_class") == [f"loc:@{variable.op.name}".encode()]
        plain = tf.Variable([1.0], use_resource=use_resource)
        assert "_class" not in plain.op.node_def.attr
