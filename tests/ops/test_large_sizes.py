"""Sizes, positions and counts beyond 32 bits: int64 where the op takes it, refused elsewhere; no bits are lost."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ferroflow as tf
from ferroflow import _core
from ferroflow._src.framework import arguments

WIDE = 1 << 32
INDEX_TYPES = {3, 9}


def placeholder(*shape):
    return tf.placeholder(tf.float32, shape)


BUILT = {
    "pad": (lambda: tf.pad(placeholder(2, 2), [[WIDE, WIDE], [0, 0]]), [2 * WIDE + 2, 2]),
    "pad of an array": (lambda: tf.pad(placeholder(2, 2), np.array([[WIDE, 0], [0, 0]])), [WIDE + 2, 2]),
    "mirror pad": (lambda: tf.pad(placeholder(2, 2), [[0, WIDE], [0, 0]], mode="SYMMETRIC"), [WIDE + 2, 2]),
    "fill": (lambda: tf.fill([2, 1 << 31], 1.0), [2, 1 << 31]),
    "reshape": (lambda: tf.reshape(placeholder(None), [2, WIDE]), [2, WIDE]),
    "reshape with dimensions": (lambda: tf.reshape(placeholder(None), [tf.Dimension(WIDE), 2]), [WIDE, 2]),
    "tile": (lambda: tf.tile(placeholder(2, 2), [1, WIDE]), [2, 2 * WIDE]),
    "slice": (lambda: tf.slice(placeholder(None, 2), [WIDE, 0], [1, 2]), [1, 2]),
    "slice of a large size": (lambda: tf.slice(placeholder(None, 2), [0, 0], [WIDE, 2]), [WIDE, 2]),
    "strided slice": (lambda: placeholder(None, 2)[WIDE, :1], [1]),
    "random": (lambda: tf.random_uniform([2, WIDE]), [2, WIDE]),
    "random gamma": (lambda: tf.random_gamma([2, WIDE], 1.0), [2, WIDE]),
    "random poisson": (lambda: tf.random_poisson(1.0, [2, WIDE]), [2, WIDE]),
    "zeros": (lambda: tf.zeros([2, WIDE]), [2, WIDE]),
    "ones": (lambda: tf.ones([tf.Dimension(WIDE), 2]), [WIDE, 2]),
    "broadcast": (lambda: tf.broadcast_to(placeholder(2, 1), [2, WIDE]), [2, WIDE]),
    "range": (lambda: tf.range(WIDE), [WIDE]),
    "linspace": (lambda: tf.linspace(0.0, 1.0, WIDE), [WIDE]),
    "scatter": (lambda: tf.scatter_nd([[1]], [1.0], [WIDE]), [WIDE]),
    "segments": (lambda: tf.unsorted_segment_sum(placeholder(2, 2), [0, 1], WIDE), [WIDE, 2]),
    "split": (lambda: tf.split(placeholder(None, 2), [WIDE, 1], 0)[0], [WIDE, 2]),
    "space to batch": (lambda: tf.space_to_batch_nd(placeholder(2, 2, 2), [1], [[WIDE, 0]]), [2, WIDE + 2, 2]),
    "eye": (lambda: tf.eye(WIDE), [WIDE, WIDE]),
    "placeholder": (lambda: tf.placeholder(tf.float32, [2, WIDE]), [2, WIDE]),
    # TensorFlow cuts the number to the tensor's int32 here.
    "a tensor beside": (lambda: tf.reshape(placeholder(None), [tf.placeholder(tf.int32, []), WIDE]), [None, WIDE]),
    "zeros, a tensor beside": (lambda: tf.zeros([tf.placeholder(tf.int32, []), WIDE]), [None, WIDE]),
}

REFUSED = {
    "one_hot": lambda: tf.one_hot([1], WIDE),
    "top_k": lambda: tf.nn.top_k(placeholder(2, 4), WIDE),
    "categorical": lambda: tf.random.categorical(placeholder(2, 3), WIDE),
    "resize": lambda: tf.image.resize_bilinear(placeholder(1, 2, 2, 1), [WIDE, 2]),
    "resize_images": lambda: tf.image.resize_images(placeholder(1, 2, 2, 1), [WIDE, 2]),
    "conv2d_backprop_input": lambda: tf.nn.conv2d_backprop_input(
        [1, WIDE, 4, 1], placeholder(1, 1, 1, 1), placeholder(1, None, 4, 1), [1, 1, 1, 1], "SAME"
    ),
    "tensor array": lambda: tf.TensorArray(tf.float32, WIDE),
    "tensor array index": lambda: tf.TensorArray(tf.float32, 2).write(WIDE, 1.0).flow,
    "dynamic_stitch": lambda: tf.dynamic_stitch([[0, WIDE]], [placeholder(2, 2)]),
    "rfft": lambda: tf.spectral.rfft(placeholder(2), [WIDE]),
    "frame": lambda: tf.contrib.signal.frame(placeholder(None), WIDE, 1),
    "random_crop": lambda: tf.random_crop(placeholder(None, 2), [WIDE, 2]),
    "reduce_sum": lambda: tf.reduce_sum(placeholder(2, 2), WIDE),
    "transpose": lambda: tf.transpose(placeholder(2, 2), [0, WIDE]),
    "concat": lambda: tf.concat([placeholder(2, 2)] * 2, WIDE),
    "reverse": lambda: tf.reverse(placeholder(2, 2), [WIDE]),
}


@pytest.mark.parametrize("case", BUILT)
def test_a_large_size_is_built(case):
    build, shape = BUILT[case]
    with tf.Graph().as_default():
        assert build().shape.as_list() == shape


@pytest.mark.parametrize("case", REFUSED)
def test_a_size_that_the_op_cannot_take_is_refused(case):
    with tf.Graph().as_default(), pytest.raises((TypeError, ValueError)):
        REFUSED[case]()


def index_arguments():
    """(op, name of the argument, whether int64 is possible) of all arguments that can be int32 or int64 alone."""
    for name in _core.op_names():
        schema = _core.op_info(name)
        index_attrs = {a["name"] for a in schema["attrs"] if set(a["allowed_types"]) == INDEX_TYPES}
        for arg in schema["inputs"]:
            if arg["is_list"] or arg["is_ref"]:
                continue
            if arg.get("type") == 3:
                yield name, arg["name"], False
            elif arg.get("type_attr") in index_attrs:
                yield name, arg["name"], True


def test_no_index_argument_of_any_op_loses_upper_bits():
    found = list(index_arguments())
    assert len(found) > 250
    made = {}

    for name, argument, is_wide in found:
        schema = _core.op_info(name)
        with tf.Graph().as_default():
            values = []
            for arg in schema["inputs"]:
                if arg["name"] == argument:
                    values.append(WIDE)
                elif arg["is_list"]:
                    values.append([])
                else:
                    values.append(tf.placeholder(arg["type"] % 100) if "type" in arg else 1)
            try:
                converted = arguments.converted(name, values, {})
            except (TypeError, ValueError):
                made[name, argument] = None
                continue
            at = [a["name"] for a in schema["inputs"]].index(argument)
            tensor = converted[at]
            assert tensor.dtype == tf.int64, (name, argument)
            assert is_wide
            made[name, argument] = tensor.dtype
    assert sum(dtype is not None for dtype in made.values()) > 100


def test_data_keeps_tensorflows_wrap():
    # TF 1.x programs write masks of 32 bits this way.
    with tf.Session() as session:
        assert session.run(tf.constant(0xFFFFFFFF, tf.int32)) == -1
        assert session.run(tf.bitwise.bitwise_and(tf.constant(7), 0xFFFFFFFF)) == 7


def test_values_follow():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2])
        fed = {x: np.arange(6.0).reshape(3, 2)}
        assert session.run(x[1:WIDE], fed).tolist() == [[2, 3], [4, 5]]
        assert session.run(x[-WIDE:1], fed).tolist() == [[0, 1]]
        with pytest.raises(tf.errors.InvalidArgumentError, match="out of"):
            session.run(x[WIDE], fed)


def test_indices_without_numbers_take_no_time_for_each_row():
    rows = 1 << 31
    nothing = np.lib.stride_tricks.as_strided(np.zeros(0, np.int32), (rows, 0), (0, 4))
    indices, updates, shape = tf.placeholder(tf.int32), tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    scattered = tf.scatter_nd(indices, updates, shape)
    with tf.Session() as session:
        assert session.run(scattered, {indices: nothing, updates: nothing, shape: [0]}).shape == (0,)
        with pytest.raises(tf.errors.InvalidArgumentError, match="must match inner dimensions of updates"):
            session.run(scattered, {indices: nothing, updates: nothing, shape: [3, 0]})


@pytest.mark.parametrize("rows", [1 << 40, 1 << 62])
def test_slices_scattered_into_more_than_any_machine_has_are_resource_exhausted(rows):
    indices, shape = tf.placeholder(tf.int64), tf.placeholder(tf.int64)
    scattered = tf.scatter_nd(indices, tf.ones([1], tf.int8), shape)
    with tf.Session() as session, pytest.raises(tf.errors.ResourceExhaustedError, match="OOM when allocating"):
        session.run(scattered, {indices: [[0]], shape: [rows]})


def test_large_zeros_are_not_written_twice():
    # Pages of the system are zero already: those that nothing writes take no memory.
    indices, shape = tf.placeholder(tf.int64), tf.placeholder(tf.int64)
    scattered = tf.scatter_nd(indices, tf.ones([1], tf.int8), shape)[-1]
    with tf.Session() as session:
        session.run(scattered, {indices: [[0]], shape: [8]})
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert session.run(scattered, {indices: [[(1 << 31) - 1]], shape: [1 << 31]}) == 1
        # Kibibytes on Linux.
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < before + (1 << 20)


def test_every_op_ends_with_a_value_or_an_error_whatever_sizes_its_inputs_have(tmp_path):
    program = Path(__file__).with_name("hostile_sizes.py")
    paths = [str(Path(tf.__file__).parents[1]), str(program.parents[1])]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-W", "ignore", str(program), "report"]
    # Ops that write files write them there.
    ended = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    steps = (tmp_path / "report").read_text(encoding="utf-8").splitlines()
    assert ended.returncode == 0, f"{steps[-1:]}\n{ended.stderr[-2000:]}"
    assert len({step.split()[0] for step in steps}) > 800
