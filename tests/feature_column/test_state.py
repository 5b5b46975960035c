"""Columns of programs that keep variables and resources in a StateManager, in the layer `DenseFeatures`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ferroflow as tf
from ferroflow.python.feature_column import feature_column as v1, feature_column_v2 as v2


class _Scaled(v1._DenseColumn, v2.DenseColumn):  # type: ignore[misc]  # found at run time
    """The feature "x" multiplied by a variable, and added to a resource."""

    name = "scaled"
    _variable_shape = tf.TensorShape([2])
    _parse_example_spec: dict[str, Any] = {}  # noqa: RUF012 - TensorFlow's columns have a property

    def create_state(self, state_manager: Any) -> None:
        state_manager.create_variable(self, "factor", [], tf.float32, initializer=tf.ones_initializer())
        state_manager.add_resource(self, "shift", np.float32(3.0))

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        return 2.0 * transformation_cache.get("x", state_manager)

    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Any:
        factor = state_manager.get_variable(self, "factor")
        return transformation_cache.get(self, state_manager) * factor + state_manager.get_resource(self, "shift")

    def _transform_feature(self, inputs: Any) -> Any:
        raise AssertionError

    def _get_dense_tensor(self, inputs: Any, weight_collections: Any = None, trainable: Any = None) -> Any:
        raise AssertionError


def test_a_layer_owns_the_state_of_its_columns() -> None:
    layer = tf.keras.layers.DenseFeatures([_Scaled()])
    features = {"x": np.array([[1.0, 2.0]], np.float32)}
    first, second = layer(features), layer(features)
    (factor,) = layer.trainable_weights
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(factor.assign(10.0))
        for found in session.run([first, second]):
            assert found.tolist() == [[23.0, 43.0]]


def test_columns_of_programs_count_as_those_of_layers() -> None:
    column = _Scaled()
    assert v2.is_feature_column_v2([column])
    assert isinstance(tf.feature_column.numeric_column("x"), v2.DenseColumn)
    column._is_v2_column = False
    assert not v2.is_feature_column_v2([column])


def test_missing_and_doubled_state_is_refused() -> None:
    state = v2._StateManagerImpl(layer=tf.keras.layers.Layer(), trainable=False)
    made = state.create_variable("column", "v", [2], tf.float32)
    assert state.get_variable("column", "v") is made
    assert not made.trainable
    with pytest.raises(ValueError, match="already exists"):
        state.create_variable("column", "v", [2], tf.float32)
    with pytest.raises(ValueError, match="Variable does not exist"):
        state.get_variable("column", "w")
    with pytest.raises(ValueError, match="Resource does not exist"):
        state.get_resource("column", "table")
    for call in (v2.StateManager().get_variable, v2.StateManager().get_resource):
        with pytest.raises(NotImplementedError):
            call("column", "v")
