"""Variables that begin with the values of a checkpoint."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import ferroflow as tf
from ferroflow.contrib import framework

_VALUES = {
    "a/w": np.arange(6, dtype=np.float32).reshape(3, 2),
    "a/b": np.float32([7, 8]),
    "top": np.float32(9),
}


@pytest.fixture(name="path")
def _path(tmp_path: Path) -> Iterator[str]:
    with tf.Graph().as_default(), tf.Session() as session:
        for name, value in _VALUES.items():
            tf.Variable(value, name=name)
        saver = tf.train.Saver()
        session.run(tf.global_variables_initializer())
        yield str(saver.save(session, str(tmp_path / "model")))


def _initialized(*variables: object) -> list[object]:
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return [np.asarray(v).tolist() for v in session.run(list(variables))]


def test_scopes_names_variables_and_slices_are_initialized(path: str) -> None:
    with tf.Graph().as_default():
        with tf.variable_scope("new"):
            w, b = tf.get_variable("w", [3, 2]), tf.get_variable("b", [2])
        tf.train.init_from_checkpoint(path, {"a/": "new/"})
        assert _initialized(w, b) == [_VALUES["a/w"].tolist(), [7, 8]]
    with tf.Graph().as_default():
        b, top = tf.get_variable("bias", [2]), tf.Variable(0.0)
        whole = tf.get_variable("w", [3, 2], partitioner=tf.fixed_size_partitioner(3))
        tf.train.init_from_checkpoint(str(Path(path).parent), {"a/b": "bias", "top": top, "a/w": whole})
        assert _initialized(b, top, whole.as_tensor()) == [[7, 8], 9, _VALUES["a/w"].tolist()]
    with tf.Graph().as_default():
        whole = tf.get_variable("part", [3, 2], partitioner=tf.fixed_size_partitioner(2))
        tf.train.init_from_checkpoint(path, {"a/w": "part"})
        assert _initialized(whole.as_tensor()) == [_VALUES["a/w"].tolist()]


def test_what_the_checkpoint_does_not_have_is_refused(path: str) -> None:
    with tf.Graph().as_default():
        tf.get_variable("x", [2])
        with tf.variable_scope("s"):
            tf.get_variable("y", [2])
        with pytest.raises(ValueError, match="Tensor z is not found in"):
            tf.train.init_from_checkpoint(path, {"z": "x"})
        with pytest.raises(ValueError, match="doesn't match with shape of tensor a/w"):
            tf.train.init_from_checkpoint(path, {"a/w": "x"})
        with pytest.raises(ValueError, match="should map to scope only"):
            tf.train.init_from_checkpoint(path, {"a/b": "none"})
        with pytest.raises(ValueError, match=r"Tensor a/y \(y in a/\) is not found"):
            tf.train.init_from_checkpoint(path, {"a/": "s/"})
        with pytest.raises(tf.errors.NotFoundError):
            tf.train.init_from_checkpoint(path + "-none", {"a/b": "x"})
        with pytest.raises(ValueError, match="Couldn't find 'checkpoint' file"):
            tf.train.load_checkpoint(str(Path(path).parent.parent))


def test_values_of_checkpoints_and_arrays_are_assigned_at_once(path: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.get_variable("a/w", [3, 2], partitioner=tf.fixed_size_partitioner(2))
        b, other = tf.get_variable("a/b", [2]), tf.get_variable("other", [2])
        session.run(*framework.assign_from_checkpoint(path, [*w, b]))
        assert session.run(w.as_tensor()).tolist() == _VALUES["a/w"].tolist()
        session.run(*framework.assign_from_values({"other": np.float32([[1], [2]])}))
        assert session.run([b, other])[1].tolist() == [1, 2]
        with pytest.raises(ValueError, match=r"missing variable \[other\]"):
            framework.assign_from_checkpoint(path, [other])
        restore = framework.assign_from_checkpoint_fn(path, {"a/b": other, "none": b}, ignore_missing_vars=True)
        assert restore is not None
        restore(session)
        assert session.run(other).tolist() == [7, 8]
        assert framework.assign_from_checkpoint_fn(path, [other], ignore_missing_vars=True) is None


def test_a_swapping_saver_saves_averages_under_the_variables_names(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", initializer=np.float32([1, 2]))
        optimizer = tf.contrib.opt.MovingAverageOptimizer(tf.train.GradientDescentOptimizer(1.0), average_decay=0.5)
        with pytest.raises(RuntimeError, match="Must call apply_gradients or minimize"):
            optimizer.swapping_saver()
        train = optimizer.minimize(tf.reduce_sum(v))
        session.run(tf.global_variables_initializer())
        session.run(train)
        path = optimizer.swapping_saver().save(session, str(tmp_path / "model"))
        assert session.run(v).tolist() == [0, 1]
    assert tf.train.load_variable(path, "v").tolist() == [0.5, 1.5]
    assert tf.train.load_variable(path, "v/ExponentialMovingAverage").tolist() == [0, 1]
