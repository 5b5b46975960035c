"""Single functions of TF 1.13 to 1.15 compute TensorFlow's values and raise its errors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from golden.recent_function_programs import PROGRAMS
from golden.recent_runs import near, result_of
from hypothesis import given, settings, strategies as st

import ferroflow as tf

RECENT = json.loads((Path(__file__).parents[1] / "golden" / "recent.json").read_text(encoding="utf-8"))
EXPECTED = {k.partition(": ")[2]: v for k, v in RECENT.items() if k.startswith("recent_functions: ")}


def test_every_golden_program_is_compared():
    assert set(PROGRAMS) == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_results_are_tensorflows(name):
    found = json.loads(json.dumps(result_of(tf, PROGRAMS[name])))
    assert near(found, EXPECTED[name]), found


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(1, 3), min_size=1, max_size=3), st.integers(1, 4), st.integers(0, 2**31))
def test_batch_updates_are_numpys(batch, count, seed):
    rng = np.random.RandomState(seed % 2**31)
    start = rng.rand(*batch, 4, 2).astype(np.float32)
    indices = np.stack([rng.permutation(4)[:count] for _ in range(int(np.prod(batch)))]).reshape(*batch, count)
    updates = rng.rand(*batch, count, 2).astype(np.float32)
    expected = start.copy()
    np.put_along_axis(expected, indices[..., None], updates, axis=-2)
    with tf.Graph().as_default(), tf.Session() as sess:
        update = tf.batch_scatter_update(tf.Variable(start), indices, updates)
        sess.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(sess.run(update), expected)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=4), st.data())
def test_shapes_are_accepted_exactly_if_equal_symbols_have_equal_sizes(shape, data):
    symbols = data.draw(st.lists(st.sampled_from(["a", "b", None, 2]), min_size=len(shape), max_size=len(shape)))
    sizes: dict[object, set[int]] = {}
    for symbol, size in zip(symbols, shape, strict=True):
        sizes.setdefault(symbol, set()).add(size)
    fits = len(sizes.get("a", ())) < 2 and len(sizes.get("b", ())) < 2 and sizes.get(2, {2}) == {2}
    with tf.Graph().as_default(), tf.Session() as sess:
        unknown = tf.placeholder(tf.float32)
        check = tf.debugging.assert_shapes([(unknown, symbols)])
        if fits:
            sess.run(check, {unknown: np.zeros(shape)})
            tf.debugging.assert_shapes([(tf.zeros(shape), symbols)])
        else:
            with pytest.raises(tf.errors.InvalidArgumentError):
                sess.run(check, {unknown: np.zeros(shape)})
            with pytest.raises(ValueError, match="must have size"):
                tf.debugging.assert_shapes([(tf.zeros(shape), symbols)])


def test_recomputing_changes_no_gradient():
    x = tf.constant([0.3, -1.2])
    with tf.variable_scope("recomputed", use_resource=True):
        w = tf.get_variable("w", initializer=[2.0, 0.5])
        found = [f(x) for f in (lambda a: tf.sin(a * w), tf.recompute_grad(lambda a: tf.sin(a * w)))]
    gradients = [tf.gradients(y, [x, w]) for y in found]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        plain, again = sess.run(gradients)
    np.testing.assert_array_equal(plain, again)


def test_summaries_are_opened_by_their_public_name(tmp_path):
    with tf.Graph().as_default(), tf.Session() as sess:
        with tf.contrib.summary.create_file_writer(str(tmp_path)).as_default():
            with tf.contrib.summary.always_record_summaries():
                tf.contrib.summary.scalar("a", 1.0, step=tf.constant(1, tf.int64))
            tf.summary.initialize(session=sess)
        assert tf.summary.all_v2_summary_ops() == tf.contrib.summary.all_summary_ops()
        sess.run(tf.summary.all_v2_summary_ops())
    assert len(list(tmp_path.iterdir())) == 1
