"""Ragged tensors have TensorFlow 1.15's values, static shapes, errors and nodes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from golden.ragged_programs import CASES, outcome

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "ragged.json").read_text(encoding="utf-8"))
# `tf.repeat` finds the repeated elements by a search here, and by a mask in TensorFlow. Its nodes differ, and its
# static shape is known more often.
SEARCH = "UpperBound"
# (case, part of the result) that differs on purpose.
DIFFERENT = {
    # TensorFlow 1.15 pads an empty row with a word of the row before.
    ("ngrams_pads", "value"),
    # TensorFlow decodes constant texts while it builds the graph, to know the number of their characters.
    ("unicode_split_scalar", "known"),
    # The general differences of `tf.argsort`, `tf.batch_gather` and `Tensor.set_shape`.
    ("dynamic_partition", "types"),
    ("stack_partitions", "types"),
    ("batch_gather_vector", "types"),
    ("concat_rows", "message"),
}
# Characters of a message before the first name of a node.
SAME_START = 60


def is_as_known(found, expected):
    """Returns True if descriptions are equal, up to dimensions that are only unknown in the second one."""
    if isinstance(expected, list):
        return isinstance(found, list) and len(found) == len(expected) and all(map(is_as_known, found, expected))
    if not isinstance(expected, str) or found == expected:
        return found == expected
    dims, expected_dims = found.strip("()").split(","), expected.strip("()").split(",")
    return len(dims) == len(expected_dims) and all(
        b.strip() in ("?", a.strip()) for a, b in zip(dims, expected_dims, strict=True)
    )


def test_every_case_is_compared():
    assert CASES.keys() == GOLDEN.keys()
    assert {name for name, _ in DIFFERENT} <= CASES.keys()


@pytest.mark.parametrize("name", sorted(CASES))
def test_results_are_tensorflows(name):
    found, expected = json.loads(json.dumps(outcome(tf, CASES[name]))), GOLDEN[name]
    if "error" in expected:
        assert found.get("error") == expected["error"], found
        is_same = found["message"][:SAME_START] == expected["message"][:SAME_START]
        assert is_same == ((name, "message") not in DIFFERENT), found
        return
    assert "error" not in found, found
    searches = SEARCH in found["types"]
    same = {
        "value": found["value"] == expected["value"],
        "known": (is_as_known(found["known"], expected["known"]) if searches else found["known"] == expected["known"]),
        "types": searches or found["types"] == expected["types"],
    }
    assert same == {part: (name, part) not in DIFFERENT for part in same}, found


@pytest.mark.parametrize(("values", "inner_shape"), [([[1]], (3,)), ([[[1, 2]]], (3,)), ([[1, 2]], (1,))])
def test_constants_have_values_of_their_inner_shape(values, inner_shape):
    with pytest.raises((TypeError, ValueError), match=r"Expected Tensor's shape|incompatible|Too many elements"):
        tf.ragged.constant(values, inner_shape=inner_shape)


def test_empty_values_have_no_coordinates_whatever_their_other_sizes():
    with tf.Graph().as_default():
        values = tf.placeholder(tf.float32, [0, None])
        sparse = tf.raw_ops.RaggedTensorToSparse(rt_nested_splits=[[0, 0]], rt_dense_values=values)
        assert [part.shape.as_list() for part in sparse] == [[0, 3], [0], [3]]
