"""Heads and models of `tf.contrib.learn` have TensorFlow 1.15.5's nodes, losses, metrics and variables."""

import json
import lzma
from pathlib import Path

import pytest
from estimator.test_heads import compare
from golden.learn_programs import results

import ferroflow as tf

FILE = Path(__file__).parents[1] / "golden" / "learn.json.xz"
GOLDEN = json.loads(lzma.decompress(FILE.read_bytes()))


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    return results(tf, str(tmp_path_factory.mktemp("models")))


@pytest.mark.parametrize("name", GOLDEN)
def test_results_are_those_of_tensorflow(name, programs):
    compare(programs[name](), GOLDEN[name], name)


def test_every_program_has_a_golden_result(programs):
    assert sorted(programs) == sorted(GOLDEN)
