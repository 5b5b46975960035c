"""Datasets make TensorFlow 1.15's operations when they are constructed, so seeds of what comes after are its seeds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from golden.dataset_node_programs import nodes, programs

import ferroflow as tf

EXPECTED = json.loads((Path(__file__).parents[1] / "golden" / "dataset_nodes.json").read_text(encoding="utf-8"))


def test_every_golden_program_is_compared():
    assert set(programs(tf)) == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_the_operations_are_tensorflows(name):
    assert nodes(tf, programs(tf)[name]) == EXPECTED[name]


def test_an_iterator_of_a_dataset_of_another_graph_is_refused():
    with tf.Graph().as_default():
        dataset = tf.data.Dataset.range(3)
    with tf.Graph().as_default():
        for make in (tf.data.make_one_shot_iterator, tf.data.make_initializable_iterator):
            with pytest.raises(ValueError, match=r"is different from the graph .* the dataset"):
                make(dataset)
