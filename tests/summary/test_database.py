"""Laws of databases of summaries: the rows of runs and tags, and which tensors of a tag are kept."""

from __future__ import annotations

import re
import sqlite3

import numpy as np
import pytest

import ferroflow as tf
from ferroflow._src.base import proto
from ferroflow._src.contrib.summary import database as database_module
from ferroflow._src.contrib.summary.database import SummaryDatabase

summary = tf.contrib.summary


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "summaries.sqlite")


def rows(path, query, *parameters):
    with sqlite3.connect(path) as connection:
        return connection.execute(query, parameters).fetchall()


def named(path, **names):
    return summary.create_db_writer(path, **{"experiment_name": "e", "run_name": "r", "user_name": "u", **names})


def tensors(path, tag):
    """(step, dtype, shape, data) of each tensor of a tag."""
    query = "SELECT step, dtype, shape, data FROM Tensors JOIN Tags ON series = tag_id WHERE tag_name = ? ORDER BY step"
    return rows(path, query, tag)


def test_steps_write_tensors_in_their_own_types(path):
    step = tf.train.create_global_step()
    writer = named(path)
    with writer.as_default(), summary.always_record_summaries():
        summary.generic("x", tf.constant([[1, 2]], tf.int64))
        summary.scalar("s", tf.constant(1.5, tf.float64))
        summary.generic("t", tf.constant([b"a", b"bc"]))
    with tf.Session() as session:
        session.run([step.initializer, summary.summary_writer_initializer_op()])
        for _ in range(2):
            session.run(summary.all_summary_ops())
            session.run(step.assign_add(1))
    assert tensors(path, "x") == [(i, 9, "1,2", np.array([1, 2]).tobytes()) for i in range(2)]
    assert tensors(path, "s") == [(i, 2, "", np.float64(1.5).tobytes()) for i in range(2)]
    assert [row[:3] for row in tensors(path, "t")] == [(0, 7, "2"), (1, 7, "2")]
    assert rows(path, "SELECT data FROM TensorStrings ORDER BY tensor_rowid, idx") == [(b"a",), (b"bc",)] * 2
    assert rows(path, "SELECT tag_name, plugin_name FROM Tags ORDER BY tag_name") == [
        ("s", "scalars"),
        ("t", ""),
        ("x", ""),
    ]


def test_a_run_belongs_to_an_experiment_of_a_user(path):
    for run in ("one", "two"):
        with tf.Graph().as_default(), tf.Session() as session:
            writer = named(path, run_name=run)
            with writer.as_default(), summary.always_record_summaries():
                scalar = summary.scalar("s", 1.0, step=1)
            close = writer.close()
            session.run(writer.init())
            session.run(scalar)
            session.run(close)
    query = (
        "SELECT user_name, experiment_name, run_name, finished_time >= Runs.started_time FROM Runs "
        "JOIN Experiments USING (experiment_id) JOIN Users USING (user_id) ORDER BY run_name"
    )
    assert rows(path, query) == [("u", "e", "one", 1), ("u", "e", "two", 1)]
    assert rows(path, "PRAGMA application_id") == [(0xFEEDABEE - (1 << 32),)]


def test_a_graph_is_nodes_and_edges(path):
    with tf.Graph().as_default() as graph:
        one = tf.constant(1.0, name="one")
        with tf.control_dependencies([one]):
            tf.split(tf.constant([1.0, 2.0], name="two"), 2, name="parts")[1] + 1.0
    tf.train.create_global_step()
    with tf.Session(), named(path).as_default():
        summary.initialize(graph=graph)
    names = [node.name for node in graph.as_graph_def().node]
    assert rows(path, "SELECT node_name FROM Nodes ORDER BY node_id") == [(name,) for name in names]
    query = (
        "SELECT a.node_name, b.node_name, input_node_idx, is_control FROM NodeInputs i "
        "JOIN Nodes a ON a.node_id = i.node_id JOIN Nodes b ON b.node_id = input_node_id ORDER BY i.node_id, idx"
    )
    edges = [
        (node.name, name.removeprefix("^").partition(":")[0], int(name.partition(":")[2] or 0), int("^" in name))
        for node in graph.as_graph_def().node
        for name in node.input
    ]
    assert rows(path, query) == edges


@pytest.mark.parametrize("count", [5, 40])
def test_a_tag_keeps_a_sample_and_the_newest_tensor(path, count):
    database = SummaryDatabase(path, "e", "r", "u")
    for step in range(count):
        value = proto.Summary.Value(tag="t", tensor=tf.make_tensor_proto(np.full(3, step)))
        event = proto.Event(wall_time=step, step=step, summary=proto.Summary(value=[value]))
        database.add(event.SerializeToString())
    database.close()
    found = tensors(path, "t")
    assert len(found) == min(count, 10)
    assert found[-1][0] == count - 1
    assert all(row[3] == np.full(3, row[0]).tobytes() for row in found)


def event(step, tags="t"):
    values = [proto.Summary.Value(tag=tag, simple_value=step) for tag in tags]
    return proto.Event(wall_time=step, step=step, summary=proto.Summary(value=values)).SerializeToString()


@pytest.mark.parametrize("before", [0, 1, 3])
@pytest.mark.parametrize(
    ("hinder", "release", "message"),
    [
        ("BEGIN IMMEDIATE", "ROLLBACK", "locked"),
        (
            "CREATE TRIGGER t BEFORE INSERT ON Tensors WHEN NEW.series IN (SELECT tag_id FROM Tags WHERE "
            "tag_name = 'u') BEGIN SELECT RAISE(ABORT, 'no'); END",
            "DROP TRIGGER t",
            "no",
        ),
    ],
)
def test_a_failed_addition_leaves_no_trace_and_later_ones_work(path, before, hinder, release, message, monkeypatch):
    monkeypatch.setattr(database_module, "_SECONDS_FOR_A_LOCK", 0.01)
    database = SummaryDatabase(path, "e", "r", "u")
    for step in range(before):
        database.add(event(step))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute(hinder)
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"{re.escape(path)}.*{message}"):
        database.add(event(before, "tu"))
    other.execute(release)
    database.add(event(before + 1, "ut"))
    database.close()
    steps = [*range(before), before + 1]
    assert [row[0] for row in tensors(path, "t")] == steps
    assert [row[0] for row in tensors(path, "u")] == steps[-1:]
    assert len(rows(path, "SELECT * FROM Runs")) == 1


@pytest.mark.parametrize(("place", "message"), [("missing/file", "unable to open"), ("text", "not a database")])
def test_what_is_no_database_is_refused_with_its_name(tmp_path, place, message):
    (tmp_path / "text").write_text("no database" * 300)
    with tf.Graph().as_default(), tf.Session() as session:
        summary.create_db_writer(str(tmp_path / place))
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"{place}: .*{message}"):
            session.run(summary.summary_writer_initializer_op())


@pytest.mark.parametrize(
    "names", [{"experiment_name": "\0"}, {"run_name": "<"}, {"user_name": "-hi"}, {"user_name": "hi-"}]
)
def test_names_are_checked(path, names):
    with pytest.raises(ValueError, match="must match"):
        named(path, **names)
