"""A scaffold takes what it is given, finds the rest in the collections, and makes what is not there."""

from __future__ import annotations

from typing import Any

import pytest

import ferroflow as tf
from ferroflow._src.variables.resources import register_resource

PIECES = {
    "init_op": tf.GraphKeys.INIT_OP,
    "ready_op": tf.GraphKeys.READY_OP,
    "ready_for_local_init_op": tf.GraphKeys.READY_FOR_LOCAL_INIT_OP,
    "local_init_op": tf.GraphKeys.LOCAL_INIT_OP,
    "saver": tf.GraphKeys.SAVERS,
}


def test_pieces_are_made_and_put_into_their_collections(graph: Any) -> None:
    tf.Variable(1)
    scaffold = tf.train.Scaffold()
    assert all(getattr(scaffold, name) is None for name in PIECES)
    assert scaffold.finalize() is scaffold
    for name, key in PIECES.items():
        assert tf.get_collection(key) == [getattr(scaffold, name)]
    assert graph.finalized
    assert scaffold.summary_op is None
    assert isinstance(scaffold.saver, tf.train.Saver)


def test_all_summaries_are_merged() -> None:
    tf.Variable(1)
    tf.summary.scalar("a", 1.0)
    scaffold = tf.train.Scaffold().finalize()
    assert scaffold.summary_op.op.type == "MergeSummary"


def test_two_scaffolds_of_a_graph_share_their_pieces(graph: Any) -> None:
    tf.Variable(1)
    first = tf.train.Scaffold().finalize()
    graph._unsafe_unfinalize()
    second = tf.train.Scaffold().finalize()
    for name in PIECES:
        assert getattr(first, name) is getattr(second, name)


def test_what_is_given_is_taken_and_not_put_into_collections() -> None:
    tf.Variable(1)
    given = {name: tf.constant([b""], name=name) for name in PIECES if name != "saver"}
    saver = tf.train.Saver()
    feeds = {given["init_op"]: 1}
    scaffold = tf.train.Scaffold(saver=saver, init_feed_dict=feeds, local_init_feed_dict=feeds, **given).finalize()
    for name, value in given.items():
        assert getattr(scaffold, name) is value
        assert not tf.get_collection(PIECES[name])
    assert scaffold.saver is saver
    assert scaffold.init_feed_dict is feeds
    assert scaffold.local_init_feed_dict is feeds


@pytest.mark.parametrize("name", PIECES)
def test_several_candidates_are_an_error_that_names_the_argument(name: str) -> None:
    tf.Variable(1)
    tf.add_to_collection(PIECES[name], tf.constant([b""]))
    tf.add_to_collection(PIECES[name], tf.constant([b""]))
    with pytest.raises(RuntimeError, match=f"More than one item in .*{PIECES[name]}"):
        tf.train.Scaffold().finalize()


def test_a_copy_takes_what_it_is_not_given() -> None:
    tf.Variable(1)
    calls: list[Any] = []
    first = tf.train.Scaffold(init_fn=lambda scaffold, sess: calls.append((scaffold, sess))).finalize()
    other_op = first.local_init_op
    second = tf.train.Scaffold(init_op=other_op, copy_from_scaffold=first)
    assert second.init_op is other_op
    assert second.ready_op is first.ready_op
    assert second.saver is first.saver
    second.init_fn("a session")
    assert calls == [(second, "a session")]
    with pytest.raises(TypeError, match="copy_from_scaffold is not a Scaffold instance"):
        tf.train.Scaffold(copy_from_scaffold="none")


def test_a_graph_without_variables_has_a_saver_that_does_nothing(tmp_path: Any) -> None:
    scaffold = tf.train.Scaffold().finalize()
    with tf.Session() as sess:
        sess.run([scaffold.init_op, scaffold.local_init_op])
        assert sess.run(scaffold.ready_op).size == 0
        assert scaffold.saver.save(sess, str(tmp_path / "model")) is None


def test_readiness_covers_resources() -> None:
    made = tf.Variable(False, collections=[])
    register_resource(tf.constant("handle", name="forest"), tf.assign(made, True), made.read_value())
    scaffold = tf.train.Scaffold().finalize()
    with tf.Session() as sess:
        sess.run(made.initializer)
        assert sess.run(scaffold.ready_op).tolist() == [b"forest:0"]
        assert sess.run(scaffold.ready_for_local_init_op).tolist() == [b"forest:0"]
        sess.run(scaffold.init_op)
        assert sess.run(scaffold.ready_op).size == 0
