"""Laws of event files that the graph writes: what is recorded when, under which step, and who shares a file."""

from __future__ import annotations

import numpy as np
import pytest

import ferroflow as tf
from ferroflow._src.base import errors, proto

summary = tf.contrib.summary


@pytest.fixture(autouse=True)
def graph():
    """The default graph of the test."""
    with tf.Graph().as_default() as fresh:
        yield fresh


def files(folder):
    """The event files of a folder, by name."""
    return sorted(folder.glob("events.out.tfevents.*"))


def events(path):
    """The events of a file, without the first, which has its version."""
    first, *rest = tf.train.summary_iterator(str(path))
    assert first.file_version == "brain.Event:2"
    return rest


def values(path):
    """(step, tag, number) of each scalar of a file."""
    return [(e.step, v.tag, v.simple_value) for e in events(path) for v in e.summary.value]


def test_scalars_are_recorded_under_the_global_step(tmp_path):
    step = tf.train.create_global_step()
    grown = step.assign_add(1)
    x = tf.placeholder(tf.float32, [])
    with summary.create_file_writer(str(tmp_path)).as_default(), summary.always_record_summaries():
        with tf.name_scope("scope"):
            summary.scalar("loss", x)
        summary.scalar("other", x * 2, step=100, family="family")
        with tf.Session() as session:
            session.run(step.initializer)
            summary.initialize(session=session)
            for value in (1.5, 2.5):
                session.run(summary.all_summary_ops(), {x: value})
                session.run(grown)
            session.run(summary.flush())
    (file,) = files(tmp_path)
    assert file.name.endswith(".v2")
    found = values(file)
    assert sorted(found) == sorted(
        [
            (0, "scope/loss", 1.5),
            (100, "family/family/other", 3.0),
            (1, "scope/loss", 2.5),
            (100, "family/family/other", 5.0),
        ]
    )


def test_tags_and_names_of_operations_are_tensorflows(tmp_path, graph):
    step = tf.train.create_global_step()
    with summary.create_file_writer(str(tmp_path)).as_default(), tf.Session() as session:
        with summary.always_record_summaries():
            first = len(graph.get_operations())
            summary.scalar("loss", 1.0, step=3)
            with tf.name_scope("scope"):
                summary.scalar("loss", 2.0, step=np.int64(4))
        made = [op.name for op in graph.get_operations()[first:]]
        parts = ("Const", "Identity/input", "Identity", "tag", "", "Const_1")
        assert made == [f"{scope}loss/{part}".rstrip("/") for scope in ("", "scope/") for part in parts]
        # The recording is a branch of a conditional, which is not part of the tag.
        with summary.record_summaries_every_n_global_steps(1):
            summary.scalar("often", 3.0)
            with tf.name_scope("other"):
                summary.scalar("often", 4.0)
        session.run(step.initializer)
        summary.initialize()
        session.run(summary.all_summary_ops())
        session.run(summary.flush())
    written = [(3, "loss", 1.0), (4, "scope/loss", 2.0), (0, "often", 3.0), (0, "other/often", 4.0)]
    assert sorted(values(files(tmp_path)[0])) == sorted(written)


def test_a_step_of_another_type_is_refused(tmp_path):
    with summary.create_file_writer(str(tmp_path)).as_default(), summary.always_record_summaries():
        with pytest.raises(ValueError, match="type 'int64' for variable of type 'int32_ref'"):
            summary.scalar("x", 1.0, step=tf.Variable(5))
        with pytest.raises(TypeError, match="type int32 that does not match expected type of int64"):
            summary.scalar("x", 1.0, step=tf.constant(5))


def test_steps_are_chosen_by_their_number(tmp_path):
    step = tf.train.create_global_step()
    with (
        summary.create_file_writer(str(tmp_path)).as_default(),
        summary.record_summaries_every_n_global_steps(2),
        tf.Session() as session,
    ):
        recorded = summary.scalar("x", 1.0)
        session.run(step.initializer)
        summary.initialize()
        found = []
        for _ in range(4):
            found.append(bool(session.run(recorded)))
            session.run(step.assign_add(1))
        session.run(summary.flush())
    assert found == [True, False, True, False]
    assert [s for s, _, _ in values(files(tmp_path)[0])] == [0, 2]


def test_nothing_is_written_without_a_writer_or_where_it_is_not_wanted(tmp_path):
    assert summary.scalar("x", 1.0, step=0).type == "NoOp"
    assert summary.graph(tf.constant("")).type == "NoOp"
    assert summary.flush().type == "NoOp"
    with summary.create_file_writer(None).as_default() as none:
        assert summary.scalar("x", 1.0, step=0).type == "NoOp"
        assert none.init() is none.flush() is none.close() is None
    with summary.create_file_writer(str(tmp_path)).as_default(), tf.Session() as session:
        assert summary.should_record_summaries() is False
        with summary.never_record_summaries():
            unwanted = summary.scalar("x", 1.0, step=0)
        summary.initialize()
        assert not session.run(unwanted)
        session.run(summary.flush())
    assert events(files(tmp_path)[0]) == []


def test_all_kinds_of_summaries_are_written(tmp_path, graph):
    metadata = proto.SummaryMetadata(plugin_data=proto.SummaryMetadata.PluginData(plugin_name="mine"))
    with (
        summary.create_file_writer(str(tmp_path)).as_default() as writer,
        summary.always_record_summaries(),
        tf.Session() as session,
    ):
        summary.histogram("h", [1.0, 2.0, 2.0], step=1)
        summary.image("i", np.zeros([1, 2, 2, 3], np.float32), max_images=1, step=1)
        summary.audio("a", np.zeros([1, 10, 1], np.float32), 44100.0, 1, step=1)
        summary.generic("g", [1, 2], metadata, step=1)
        summary.import_event(tf.constant(proto.Event(step=7).SerializeToString()), name="imported")
        summary.graph(tf.constant(graph.as_graph_def().SerializeToString()), step=0, name="graph")
        summary.initialize(graph=graph)
        session.run([*summary.all_summary_ops(), "imported", "graph"])
        session.run(writer.close())
    found = events(files(tmp_path)[0])
    by_tag = {v.tag: v for e in found for v in e.summary.value}
    assert by_tag["h"].histo.num == 3
    assert (by_tag["i/image"].image.height, by_tag["i/image"].image.width) == (2, 2)
    assert by_tag["a/audio"].audio.sample_rate == 44100.0
    assert by_tag["g"].metadata.plugin_data.plugin_name == "mine"
    assert tf.make_ndarray(by_tag["g"].tensor).tolist() == [1, 2]
    assert 7 in [e.step for e in found]
    assert sum(bool(e.graph_def) for e in found) == 2


def test_writers_of_one_name_share_a_file_within_a_session(tmp_path):
    with tf.Session() as session, tf.Session() as other:
        first = tf.summary.FileWriter(str(tmp_path), session=session, filename_suffix=".end")
        second = tf.summary.FileWriter(str(tmp_path), session=session)
        apart = tf.summary.FileWriter(str(tmp_path), session=other)
        for number, writer in enumerate((first, second, apart)):
            writer.add_summary(proto.Summary(value=[proto.Summary.Value(tag="t", simple_value=number)]), number)
            writer.flush()
    ends = {f.name.endswith(".end"): values(f) for f in files(tmp_path)}
    assert ends == {True: [(0, "t", 0.0), (1, "t", 1.0)], False: [(2, "t", 2.0)]}


def test_a_closed_writer_writes_nothing_and_a_reopened_one_another_file(tmp_path):
    with tf.Session() as session:
        writer = tf.summary.FileWriter(str(tmp_path), session=session)
        assert writer.get_logdir() == str(tmp_path)
        message = proto.Summary(value=[proto.Summary.Value(tag="t", simple_value=1.0)])
        message.value[0].metadata.plugin_data.plugin_name = "mine"
        writer.add_summary(message, 1)
        writer.add_summary(message, 2)
        writer.close()
        writer.add_summary(message, 3)
        writer.reopen()
        writer.add_summary(message, 4)
        writer.close()
    first, second = files(tmp_path)
    assert [s for s, _, _ in values(first)] == [1, 2]
    assert [s for s, _, _ in values(second)] == [4]
    assert [e.summary.value[0].HasField("metadata") for e in events(first)] == [True, False]


def test_misuse_is_refused(tmp_path):
    with pytest.raises(RuntimeError, match=r"No default tf\.contrib\.summary\.SummaryWriter"):
        summary.initialize()
    with pytest.raises(TypeError, match=r"graph\(\) needs a tf\.Tensor"):
        summary.graph(tf.Graph())
    with summary.create_file_writer(str(tmp_path)).as_default(), summary.always_record_summaries():
        with pytest.raises(ValueError, match="session must be passed"):
            summary.initialize()
        unopened = summary.scalar("x", 1.0, step=0)
        wrong = summary.import_event("\xff\xff")
        with tf.Session() as session:
            with pytest.raises(errors.NotFoundError, match="does not exist"):
                session.run(unopened)
            summary.initialize()
            with pytest.raises(errors.DataLossError, match=r"Bad tf\.Event binary proto tensor string"):
                session.run(wrong)


def test_folders_for_evaluations_are_named_after_them():
    assert summary.eval_dir("/models/a") == "/models/a/eval"
    assert summary.eval_dir("/models/a", "test") == "/models/a/eval_test"


def test_serialized_summaries_are_written_in_one_event(tmp_path):
    messages = [
        tf.Summary(value=[tf.Summary.Value(tag=tag, simple_value=number)]).SerializeToString()
        for tag, number in (("a", 1.0), ("b", 2.5))
    ]
    fed = tf.placeholder(tf.string, [None])
    writer = summary.create_file_writer(str(tmp_path))
    write = _write_raw(writer._resource, np.int64(7), fed)
    with tf.Session() as session:
        session.run(writer.init())
        session.run(write, {fed: messages})
        with pytest.raises(errors.DataLossError, match="proto tensor string at index 1"):
            session.run(write, {fed: [messages[0], b"\xff"]})
        session.run(writer.flush())
    (file,) = files(tmp_path)
    (event,) = events(file)
    assert event.step == 7
    assert [(v.tag, v.simple_value) for v in event.summary.value] == [("a", 1.0), ("b", 2.5)]


def _write_raw(writer, step, messages):
    graph = tf.get_default_graph()
    inputs = [writer, tf.convert_to_tensor(step), messages]
    return graph.create_op("WriteRawProtoSummary", inputs, [], name="WriteRawProtoSummary")
