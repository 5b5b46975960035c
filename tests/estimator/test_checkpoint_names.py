"""Checkpoints of linear models and networks have the names that TensorFlow's have, so either continues the other's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ferroflow as tf

_X = tf.feature_column.numeric_column("x")
_LINEAR = {f"linear/linear_model/{part}" for part in ("x/weights", "bias_weights")}
_NETWORK = {f"dnn/{layer}/{part}" for layer in ("hiddenlayer_0", "logits") for part in ("kernel", "bias")}


def _slots(names: set[str], *slots: str) -> set[str]:
    return {f"{name}/{slot}" for name in names for slot in slots}


# By model: what TensorFlow 1.15.5 saves. "t_0" is what remains there of "part_0" in the scope "dnn".
SAVED = {
    "linear": (lambda: tf.estimator.LinearRegressor([_X]), _LINEAR | _slots(_LINEAR, "part_0/Ftrl", "part_0/Ftrl_1")),
    "network": (lambda: tf.estimator.DNNRegressor([2], [_X]), _NETWORK | _slots(_NETWORK, "t_0/Adagrad")),
    "both": (
        lambda: tf.estimator.DNNLinearCombinedRegressor(
            linear_feature_columns=[_X], dnn_feature_columns=[_X], dnn_hidden_units=[2]
        ),
        _LINEAR | _slots(_LINEAR, "Ftrl", "Ftrl_1") | _NETWORK | _slots(_NETWORK, "Adagrad"),
    ),
}


def _input() -> tuple[Any, ...]:
    return {"x": tf.constant(np.ones((4, 1), np.float32))}, tf.constant(np.ones(4, np.float32))


@pytest.mark.parametrize("model", SAVED)
def test_saved_names_are_those_of_tensorflow(model: str) -> None:
    make: Callable[[], Any] = SAVED[model][0]
    estimator = make()
    estimator.train(_input, steps=1)
    assert set(estimator.get_variable_names()) == SAVED[model][1] | {"global_step"}


def test_training_nodes_are_in_the_scope_of_the_model() -> None:
    class Names(tf.train.SessionRunHook):
        def begin(self) -> None:
            self.variables = [variable.op.name for variable in tf.global_variables()]

    names = Names()
    tf.estimator.DNNRegressor([2], [_X]).train(_input, steps=1, hooks=[names])
    assert "dnn/logits/bias/part_0" in names.variables
    assert "dnn/dnn/logits/bias/part_0/Adagrad" in names.variables
