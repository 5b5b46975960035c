"""`tf.compat.v2.summary`: the events of TensorFlow 1.15.5, and the laws of its scopes and histograms."""

import json
from pathlib import Path

import numpy as np
import pytest
from golden.version_2_summary_programs import written
from hypothesis import given, settings, strategies as st

import ferroflow as tf
from ferroflow._src.internals.version_2.plugin_summaries import rows_of_buckets
from ferroflow.compat import v2

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "version_2_summaries.json").read_text(encoding="utf-8"))


def test_events_are_those_of_tensorflow(tmp_path):
    found = json.loads(json.dumps(written(tf, v2, str(tmp_path))))
    assert found["names"] == GOLDEN["names"]
    assert found["values"].keys() == GOLDEN["values"].keys()
    assert found["metadata"] == GOLDEN["metadata"]
    for tag, events in GOLDEN["values"].items():
        for (*described, values), (*expected, golden) in zip(found["values"][tag], events, strict=True):
            assert described == expected, tag
            if tag in ("weights", "counts", "none", "equal"):
                np.testing.assert_allclose(values, golden, rtol=1e-14, atol=1e-14)
            else:
                assert values == golden, tag


@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40), st.integers(1, 12))
def test_buckets_hold_all_elements_between_the_least_and_the_greatest(values, number):
    with tf.Graph().as_default(), tf.Session() as session:
        rows = session.run(rows_of_buckets(tf.constant(values, tf.float64), number))
    left, right, counts = rows.T
    assert counts.sum() == len(values)
    assert len(rows) == (1 if min(values) == max(values) else number)
    assert left[0] <= min(values)
    assert right[-1] >= max(values)
    np.testing.assert_array_equal(right[:-1], left[1:])


def test_without_a_writer_nothing_is_written():
    with tf.Graph().as_default(), tf.Session() as session:
        assert not session.run(v2.summary.scalar("x", 1.0))
        with v2.summary.create_noop_writer().as_default():
            assert not session.run(v2.summary.scalar("x", 1.0))


def test_a_summary_needs_a_step(tmp_path):
    with tf.Graph().as_default(), v2.summary.create_file_writer(str(tmp_path)).as_default():
        with pytest.raises(ValueError, match="No step set"):
            v2.summary.scalar("x", 1.0)
        with pytest.raises(ValueError, match="logdir cannot be None"):
            v2.summary.create_file_writer(None)
        with pytest.raises(ValueError, match="encoding"):
            v2.summary.audio("x", np.zeros([1, 2, 1], np.float32), 8000, step=1, encoding="mp3")
    with pytest.raises(NotImplementedError, match="import_event"):
        v2.summary.experimental.write_raw_pb(b"", step=1)


def test_a_writer_that_writes_nothing_leaves_the_current_one(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        writer = v2.summary.create_file_writer(str(tmp_path))
        with writer.as_default():
            v2.summary.create_noop_writer().set_as_default()
            recorded = v2.summary.scalar("x", 1.0, step=1)
        session.run(writer.init())
        assert session.run(recorded)
