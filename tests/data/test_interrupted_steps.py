"""A step that is interrupted leaves no half-written batch, cached element or folded constant for later steps."""

import numpy as np
import pytest

import ferroflow as tf

ROWS = 1 << 18


def interrupt(session, fetch, milliseconds):
    """Runs one step that times out at most times; False where it ended in time."""
    try:
        session.run(fetch, options=tf.RunOptions(timeout_in_ms=milliseconds))
    except (tf.errors.DeadlineExceededError, tf.errors.CancelledError):
        return True
    return False


@pytest.mark.parametrize("keep", ["shuffle", "unbatch", "cache", "cache_file"])
def test_later_steps_get_whole_batches(tmp_path, keep):
    batches = tf.data.Dataset.from_tensors(tf.ones([ROWS])).repeat(40).batch(20)
    kept = {
        "shuffle": lambda: batches.shuffle(3).repeat(),
        "unbatch": lambda: batches.apply(tf.contrib.data.unbatch()).batch(5).repeat(),
        "cache": lambda: batches.take(2).cache().repeat(),
        "cache_file": lambda: batches.take(2).cache(str(tmp_path / "cache")).repeat(),
    }[keep]()
    smallest = tf.reduce_min(kept.make_one_shot_iterator().get_next())
    with tf.Session() as session:
        for milliseconds in (2, 4, 8, 16):
            interrupt(session, smallest, milliseconds)
        assert [session.run(smallest) for _ in range(4)] == [1.0] * 4


def test_constants_folded_while_a_step_is_interrupted_stay_right():
    mean, deviation = np.full([400, 400], 3.0, np.float32), np.full([400, 400], 1.5, np.float32)
    dataset = tf.data.Dataset.range(2)
    for _ in range(20):
        dataset = dataset.map(lambda x: x + 0 * tf.cast(tf.size(tf.constant(mean) * 1.0), tf.int64))
    dataset = dataset.map(
        lambda x: (tf.cast(x, tf.float32) - tf.constant(mean) * 1.0) / (tf.constant(deviation) + 0.5)
    ).repeat()
    iterator = dataset.make_initializable_iterator()
    value = iterator.get_next()
    for milliseconds in (1, 3, 10, 30):
        with tf.Session() as session:
            interrupt(session, iterator.initializer, milliseconds)
            session.run(iterator.initializer)
            np.testing.assert_array_equal(session.run(value), np.full([400, 400], -1.5, np.float32))
            np.testing.assert_array_equal(session.run(value), np.full([400, 400], -1.0, np.float32))
