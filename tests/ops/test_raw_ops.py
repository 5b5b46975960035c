"""`tf.raw_ops` has every operation, by keyword arguments alone."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import ferroflow as tf
from ferroflow import _core


def test_every_operation_is_there() -> None:
    assert set(_core.op_names()) == set(dir(tf.raw_ops))
    assert all(callable(getattr(tf.raw_ops, name)) for name in dir(tf.raw_ops))


def test_arguments_are_by_keyword_and_checked() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(tf.raw_ops.Add(x=1.0, y=2.0)) == 3.0
        assert session.run(tf.raw_ops.Sum(input=[1.0, 2.0], axis=0, keep_dims=True)) == [3.0]
        with pytest.raises(TypeError):
            tf.raw_ops.Add(1.0, 2.0)
        with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'y'"):
            tf.raw_ops.Add(x=1.0)
        with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
            tf.raw_ops.Add(x=1.0, y=2.0, z=3.0)
        with pytest.raises(AttributeError):
            _ = tf.raw_ops.NoSuchOp


def test_several_outputs_have_names_lists_are_lists_and_none_is_the_operation() -> None:
    with tf.Graph().as_default():
        found = tf.raw_ops.Unique(x=[1, 1, 2])
        assert found.y is found[0]
        assert found.idx is found[1]
        assert len(tf.raw_ops.Split(axis=0, value=[1.0, 2.0], num_split=2)) == 2
        assert isinstance(tf.raw_ops.NoOp(name="nothing"), tf.Operation)


def test_arguments_have_the_names_of_tensorflow() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(tf.raw_ops.Select(condition=[True, False], x=[1, 2], y=[3, 4])).tolist() == [1, 4]
        assert session.run(tf.raw_ops.Where(condition=[False, True])).tolist() == [[1]]
        assert tf.raw_ops.Squeeze(input=[[1.0]], axis=[0]).shape == [1]
        assert tf.raw_ops.ExpandDims(input=[1.0], axis=0).shape == [1, 1]
        assert session.run(tf.raw_ops.EuclideanNorm(input=[3.0, 4.0], axis=0)) == 5.0
        sparse = tf.raw_ops.SparseSplit(split_dim=0, indices=[[0, 0]], values=[1.0], shape=[2, 2], num_split=2)
        assert len(sparse.output_indices) == 2
    assert list(inspect.signature(tf.raw_ops.Select).parameters)[:3] == ["condition", "x", "y"]
    assert "axis" in inspect.signature(tf.raw_ops.Squeeze).parameters


def test_a_shape_may_be_unknown() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        checked = tf.raw_ops.EnsureShape(input=[1.0, 2.0], shape=None)
        assert sess.run(checked).tolist() == [1.0, 2.0]


def test_a_seed_may_be_a_small_integer_of_numpy() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        small, large = sess.run([tf.random_normal([2], seed=np.int8(3)), tf.random_normal([2], seed=3)])
    assert small.tolist() == large.tolist()
