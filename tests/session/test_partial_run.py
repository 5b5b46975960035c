"""A partial run is one step in pieces: fed and fetched piece by piece, nothing computed twice."""

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
