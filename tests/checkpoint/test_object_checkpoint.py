"""Laws of `tf.train.Checkpoint`, and a checkpoint of it that TensorFlow 1.15 wrote."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ferroflow as tf
from ferroflow._src.checkpoint.object_graph import ObjectGraphView
from ferroflow._src.checkpoint.object_saver import TrackableSaver

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
sys.path.insert(0, str(GOLDEN))
from object_checkpoint_programs import checkpoint_of_step  # noqa: E402


def test_a_checkpoint_of_tensorflow_is_restored():
    path = str(GOLDEN / "object_checkpoints" / "ckpt-1")
    with tf.Graph().as_default(), tf.Session() as session:
        checkpoint, _ = checkpoint_of_step(tf)
        checkpoint.restore(path).assert_consumed().run_restore_ops(session)
        reader = tf.train.load_checkpoint(path)
        kernel = checkpoint.model.layers[0].weights[0]
        key = "model/layer_with_weights-0/cell/kernel"
        np.testing.assert_array_equal(session.run(kernel), reader.get_tensor(f"{key}/.ATTRIBUTES/VARIABLE_VALUE"))
        slot = checkpoint.optimizer.get_slot(kernel, "m")
        saved = reader.get_tensor(f"{key}/.OPTIMIZER_SLOT/optimizer/m/.ATTRIBUTES/VARIABLE_VALUE")
        np.testing.assert_array_equal(session.run(slot), saved)
        assert session.run([checkpoint.step, checkpoint.save_counter, checkpoint.parts[0]]) == [1, 1, 2.5]


def test_keys_are_tensorflows(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        checkpoint, train = checkpoint_of_step(tf)
        session.run(tf.global_variables_initializer())
        session.run(train)
        path = checkpoint.save(str(tmp_path / "ckpt"), session=session)
    golden = str(GOLDEN / "object_checkpoints" / "ckpt-1")
    assert tf.train.list_variables(path) == tf.train.list_variables(golden)
    assert tf.train.latest_checkpoint(str(tmp_path)) == path


class Node(tf.contrib.checkpoint.Checkpointable):
    """An object with any edges."""


@st.composite
def edges(draw):
    count = draw(st.integers(1, 6))
    some = st.lists(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), max_size=10)
    return count, draw(some), draw(st.booleans())


def _graph(drawn, offset):
    """Objects with one variable each; edges may be shared and closed, through attributes, lists and dicts."""
    count, pairs, in_containers = drawn
    nodes = [Node() for _ in range(count)]
    for i, node in enumerate(nodes):
        node.v = tf.Variable(float(i + offset))
    root = Node()
    root.first, root.all, root.named = nodes[0], list(nodes), {f"a/{i}.": node for i, node in enumerate(nodes)}
    for i, (start, end) in enumerate(pairs):
        setattr(nodes[start], f"e{i}", [nodes[end]] if in_containers else nodes[end])
    return root, [node.v for node in nodes]


@settings(max_examples=25, deadline=None)
@given(edges())
def test_each_variable_gets_its_value_back(tmp_path_factory, drawn):
    folder = tmp_path_factory.mktemp("checkpoint")
    with tf.Graph().as_default(), tf.Session() as session:
        root, variables = _graph(drawn, 0)
        session.run(tf.global_variables_initializer())
        path = tf.train.Checkpoint(root=root).save(str(folder / "c"), session=session)
        other, others = _graph(drawn, 100)
        status = tf.train.Checkpoint(root=other).restore(path).assert_consumed()
        status.initialize_or_restore(session)
        assert session.run(others) == session.run(variables)


def test_an_attribute_of_another_name_is_an_error(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(1.0)
        session.run(v.initializer)
        path = tf.train.Checkpoint(v=v).save(str(tmp_path / "c"), session=session)
        status = tf.train.Checkpoint(w=v).restore(path)
        with pytest.raises(AssertionError):
            status.assert_consumed()
        with pytest.raises(AssertionError):
            status.assert_existing_objects_matched()


def test_what_is_attached_later_is_restored(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        saved = tf.train.Checkpoint(v=tf.Variable(3.0))
        session.run(saved.v.initializer)
        path = saved.save(str(tmp_path / "c"), session=session)
        later = tf.train.Checkpoint()
        status = later.restore(path)
        later.v = tf.Variable(0.0)
        status.assert_consumed().run_restore_ops(session)
        assert session.run(later.v) == 3.0


@pytest.mark.parametrize("called", ["after each layer", "at the end"])
@pytest.mark.parametrize("shape", [{}, {"input_shape": [2]}], ids=["no shape", "shape"])
@pytest.mark.parametrize("restored", range(4))
def test_layers_that_are_added_later_are_restored(tmp_path, restored, shape, called):
    keras = tf.keras

    def layers():
        return [keras.layers.Dense(3, **shape), keras.layers.BatchNormalization(), keras.layers.Dense(4)]

    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.ones([1, 2])
        saved = keras.Sequential(layers())
        saved(x)
        session.run([w.assign(tf.random_uniform(w.shape)) for w in saved.weights])
        path = tf.train.Checkpoint(model=saved).save(str(tmp_path / "c"), session=session)
        later = keras.Sequential()
        checkpoint = tf.train.Checkpoint(model=later)
        for i, layer in enumerate(layers()):
            if i == restored:
                status = checkpoint.restore(path)
            later.add(layer)
            if called == "after each layer":
                later(x)
        if restored == 3:
            status = checkpoint.restore(path)
        later(x)
        status.assert_consumed().run_restore_ops(session)
        for w, expected in zip(later.weights, session.run(saved.weights), strict=True):
            np.testing.assert_array_equal(session.run(w), expected)


def test_a_checkpoint_of_names_is_restored(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(4.0, name="x")
        session.run(v.initializer)
        path = tf.train.Saver([v]).save(session, str(tmp_path / "c"))
        session.run(v.assign(0.0))
        model = tf.contrib.checkpoint.Checkpointable()
        model.any = v
        saver = TrackableSaver(ObjectGraphView(model))
        saver.restore(path).initialize_or_restore(session)
        assert session.run(v) == 4.0


def test_a_manager_keeps_the_newest(tmp_path):
    with tf.Graph().as_default(), tf.Session():
        manager = tf.train.CheckpointManager(tf.train.Checkpoint(), str(tmp_path), max_to_keep=2)
        paths = [manager.save() for _ in range(3)]
        assert manager.checkpoints == paths[1:]
        assert not tf.train.checkpoint_exists(paths[0])
        assert tf.train.CheckpointManager(tf.train.Checkpoint(), str(tmp_path), 2).latest_checkpoint == paths[2]


def test_arrays_are_restored_at_once(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        state = tf.contrib.checkpoint.NumpyState()
        state.x = np.arange(3)
        path = tf.train.Checkpoint(state=state).save(str(tmp_path / "c"), session=session)
        other = tf.contrib.checkpoint.NumpyState()
        tf.train.Checkpoint(state=other).restore(path)
        np.testing.assert_array_equal(other.x, np.arange(3))


_RESTORES = """
import os
import subprocess
import sys
sys.path.insert(0, sys.argv[1])
import tensorflow as tf
from object_checkpoint_programs import checkpoint_of_step
checkpoint, _ = checkpoint_of_step(tf)
with tf.Session() as session:
    checkpoint.restore(sys.argv[2]).assert_consumed().run_restore_ops(session)
    total = tf.reduce_sum(checkpoint.model.layers[0].weights[0])
    print(*session.run([checkpoint.step, checkpoint.save_counter, total]))
"""


@pytest.mark.skipif(
    "FERROFLOW_TENSORFLOW_PYTHON" not in os.environ,
    reason="FERROFLOW_TENSORFLOW_PYTHON names no Python with TensorFlow",
)
def test_tensorflow_restores_what_is_saved_here(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        checkpoint, train = checkpoint_of_step(tf)
        session.run(tf.global_variables_initializer())
        session.run(train)
        path = checkpoint.save(str(tmp_path / "ckpt"), session=session)
        total = session.run(tf.reduce_sum(checkpoint.model.layers[0].weights[0]))
    python = os.environ["FERROFLOW_TENSORFLOW_PYTHON"]
    done = subprocess.run(
        [python, "-c", _RESTORES, str(GOLDEN), path], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    step, counter, found = done.stdout.split()[-3:]
    assert (int(step), int(counter)) == (1, 1)
    np.testing.assert_allclose(float(found), total, rtol=1e-5)
