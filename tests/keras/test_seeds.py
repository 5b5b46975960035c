"""Operations of layers, losses, metrics and models are TensorFlow 1.15's, so that seeded models learn the same."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from golden.keras_seed_programs import histories, operations

import ferroflow as tf

EXPECTED = json.loads((Path(__file__).parents[1] / "golden" / "keras_seeds.json").read_text(encoding="utf-8"))
# One operation does the work of several, which are counted.
COUNTED = {"ConvLSTM2D", "ConvLSTM2D dropout", "activation softmax", "activation selu", "TimeDistributed Conv2D"}


@pytest.fixture(scope="module")
def made():
    return operations(tf)


def test_graphs_grow_by_as_many_operations_as_tensorflows(made):
    expected = {name: number for name, (number, _) in EXPECTED["operations"].items()}
    assert {name: number for name, (number, _) in made.items()} == expected


def test_operations_have_tensorflows_names_and_types(made):
    others = {name for name, (_, names) in EXPECTED["operations"].items() if made[name][1] != names}
    assert others == COUNTED


@pytest.fixture(scope="module")
def learnt():
    return histories(tf)


@pytest.mark.parametrize("name", EXPECTED["histories"])
def test_a_seeded_model_learns_as_with_tensorflow(learnt, name):
    np.testing.assert_allclose(learnt[name], EXPECTED["histories"][name], rtol=2e-4, atol=1e-6)
