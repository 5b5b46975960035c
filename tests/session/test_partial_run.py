"""A partial run is one step in pieces: fed and fetched piece by piece, nothing computed twice."""

import numpy as np
import pytest

import ferroflow as tf


@pytest.fixture
def step():
    """Three placeholders, two results, and a session for them."""
    with tf.Graph().as_default():
        a, b, c = (tf.placeholder(tf.float32, [], name=n) for n in "abc")
        total = tf.add(a, b)
        scaled = total * c
        with tf.Session() as sess:
            yield sess, (a, b, c), (total, scaled)


def test_pieces_continue_from_each_other(step):
    sess, (a, b, c), (total, scaled) = step
    handle = sess.partial_run_setup([total, scaled], [a, b, c])
    assert sess.partial_run(handle, total, {a: 1, b: 2}) == 3
    assert sess.partial_run(handle, scaled, {c: 10}) == 30


@pytest.mark.parametrize("shape", [None, (3,)])
def test_rows_are_fed_to_a_piece_as_a_whole(shape):
    with tf.Graph().as_default(), tf.Session() as sess:
        parts = [tf.placeholder(tf.float32), tf.placeholder(tf.int64)]
        rows = tf.IndexedSlices(*parts, None if shape is None else tf.placeholder(tf.int64))
        value, index = rows.values + 0.0, rows.indices + 0
        handle = sess.partial_run_setup([value, index], [rows])
        fed = ([5.0], [2]) if shape is None else ([5.0], [2], shape)
        assert [part.tolist() for part in sess.partial_run(handle, [value, index], {rows: fed})] == [[5.0], [2]]


def test_a_value_once_drawn_is_kept_for_later_pieces():
    with tf.Graph().as_default():
        factor = tf.placeholder(tf.float32, [])
        drawn = tf.random_uniform([])
        product = drawn * factor
        with tf.Session() as sess:
            handle = sess.partial_run_setup([drawn, product], [factor])
            first = sess.partial_run(handle, drawn)
            assert sess.partial_run(handle, product, {factor: 1}) == first


def test_two_partial_runs_do_not_mix(step):
    sess, (a, b, c), (total, scaled) = step
    one, two = (sess.partial_run_setup([total, scaled], [a, b, c]) for _ in range(2))
    assert sess.partial_run(one, total, {a: 1, b: 1}) == 2
    assert sess.partial_run(two, total, {a: 5, b: 5}) == 10
    assert sess.partial_run(one, scaled, {c: 2}) == 4
    assert sess.partial_run(two, scaled, {c: 2}) == 20


def test_nests_are_fetched_as_in_run(step):
    sess, (a, b, c), (total, scaled) = step
    handle = sess.partial_run_setup([total, scaled], [a, b, c])
    assert sess.partial_run(handle, {"t": [total], "s": scaled}, {a: 1, b: 2, c: 3}) == {"t": [3], "s": 9}


@pytest.mark.parametrize(
    ("second_feed", "words"),
    [
        ("a", "has already been fed.$"),
        ("unplanned", "was not specified in partial_run_setup.$"),
    ],
)
def test_feeds_that_were_used_or_never_announced_are_refused(step, second_feed, words):
    sess, (a, b, c), (total, scaled) = step
    extra = {"a": a, "unplanned": scaled}[second_feed]
    handle = sess.partial_run_setup([total, scaled], [a, b, c])
    sess.partial_run(handle, total, {a: 1, b: 2})
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        sess.partial_run(handle, scaled, {c: 1, extra: 1})


def test_fetches_that_were_used_or_never_announced_are_refused(step):
    sess, (a, b, c), (total, scaled) = step
    handle = sess.partial_run_setup([total], [a, b, c])
    with pytest.raises(tf.errors.InvalidArgumentError, match="was not specified in partial_run_setup"):
        sess.partial_run(handle, scaled, {a: 1, b: 2, c: 3})
    sess.partial_run(handle, total, {a: 1, b: 2})
    with pytest.raises(tf.errors.InvalidArgumentError, match="has already been fetched"):
        sess.partial_run(handle, total)


def test_a_missing_feed_is_named(step):
    sess, (a, b, c), (total, _) = step
    handle = sess.partial_run_setup([total], [a, b, c])
    with pytest.raises(tf.errors.InvalidArgumentError, match="You must feed a value for placeholder"):
        sess.partial_run(handle, total, {a: 1})


def test_a_setup_must_fetch_something_and_a_handle_must_be_set_up(step):
    sess, (a, *_), (total, _) = step
    with pytest.raises(tf.errors.InvalidArgumentError, match="specify at least one target to fetch or execute"):
        sess.partial_run_setup([], [a])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Must run 'setup' before performing partial runs"):
        sess.partial_run("no such handle", total)


def test_loops_and_conditionals_run_once_over_all_pieces():
    ran = []

    def noted(what, value):
        return tf.reshape(tf.py_func(lambda v: ran.append(what) or v, [value], tf.float32), [])

    with tf.Graph().as_default():
        a, c = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
        looped = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, noted("body", v) * 2.0), [0, a])[1]
        chosen = tf.cond(a > 0.0, lambda: noted("then", looped) + 1.0, lambda: noted("else", looped) - 1.0)
        later = tf.cond(a > 0.0, lambda: noted("later", chosen) * c, lambda: c)
        mapped = tf.map_fn(lambda e: e * c, tf.stack([looped, chosen]))
        with tf.Session() as sess:
            for value, branch in ((2.0, "then"), (-2.0, "else")):
                handle = sess.partial_run_setup([looped, chosen, later, mapped], [a, c])
                end = value + value * 7.0
                assert sess.partial_run(handle, looped, {a: value}) == end
                assert ran == ["body"] * 3
                other = end + (1.0 if value > 0 else -1.0)
                assert sess.partial_run(handle, chosen) == other
                assert sess.partial_run(handle, later, {c: 10.0}) == (other * 10.0 if value > 0 else 10.0)
                assert sess.partial_run(handle, mapped).tolist() == [end * 10.0, other * 10.0]
                assert ran == ["body"] * 3 + [branch] + ["later"] * (value > 0)
                ran.clear()


def test_a_branch_not_taken_has_no_value_for_a_piece_either():
    with tf.Graph().as_default():
        a = tf.placeholder(tf.float32, [])
        pred = a > 0.0
        when_false, when_true = tf.raw_ops.Switch(data=a, pred=pred)
        with tf.Session() as sess:
            handle = sess.partial_run_setup([pred, when_true, when_false], [a])
            assert sess.partial_run(handle, pred, {a: 1.0})
            with pytest.raises(tf.errors.InvalidArgumentError, match="does not have value"):
                sess.partial_run(handle, when_false)


@pytest.mark.parametrize("elements", [4, 4096])
def test_a_fed_array_that_changes_between_the_pieces_is_fed_as_it_was(elements):
    with tf.Graph().as_default():
        x, y = tf.placeholder(tf.float32, [elements]), tf.placeholder(tf.float32, [])
        doubled, product = x * 2.0, x * y
        with tf.Session() as session:
            handle = session.partial_run_setup([doubled, product], [x, y])
            array = np.ones(elements, np.float32)
            assert session.partial_run(handle, doubled, {x: array}).tolist() == [2.0] * elements
            array[:] = 7.0
            assert session.partial_run(handle, product, {y: 3.0}).tolist() == [3.0] * elements
