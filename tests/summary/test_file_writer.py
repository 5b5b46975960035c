"""Event files hold what was added, in order; TensorBoard's own reader and TensorFlow's read them."""

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from deprecations import logs_deprecation

import ferroflow as tf


def event_files(folder):
    return sorted(Path(folder).glob("events.out.tfevents.*"))


def events(folder):
    return [e for path in event_files(folder) for e in tf.train.summary_iterator(str(path))]


def scalar(tag, number):
    return tf.Summary(value=[tf.Summary.Value(tag=tag, simple_value=number)])


def test_events_are_in_the_file_as_they_were_added(tmp_path):
    with tf.Graph().as_default() as graph:
        tf.constant([0], name="zero")
    metadata = tf.RunMetadata()
    metadata.step_stats.dev_stats.add().device = "test"
    with tf.summary.FileWriter(str(tmp_path / "new" / "folder"), graph) as writer:
        assert writer.get_logdir() == str(tmp_path / "new" / "folder")
        writer.add_session_log(tf.SessionLog(status=tf.SessionLog.START), 1)
        writer.add_summary(scalar("a", 10.0), 10)
        writer.add_summary(scalar("b", 20.0).SerializeToString())
        writer.add_run_metadata(metadata, "run", 30)
        with pytest.raises(ValueError, match="tag was already used"):
            writer.add_run_metadata(metadata, "run", 31)
    version, shown, meta, start, a, b, run = events(tmp_path / "new" / "folder")
    assert version.file_version == "brain.Event:2"
    assert tf.GraphDef.FromString(shown.graph_def) == graph.as_graph_def(add_shapes=True)
    assert tf.MetaGraphDef.FromString(meta.meta_graph_def).graph_def == graph.as_graph_def(add_shapes=True)
    assert (start.session_log.status, start.step) == (tf.SessionLog.START, 1)
    assert (a.summary, a.step) == (scalar("a", 10.0), 10)
    assert (b.summary, b.step) == (scalar("b", 20.0), 0)
    assert tf.RunMetadata.FromString(run.tagged_run_metadata.run_metadata) == metadata


def test_what_is_flushed_is_in_the_file_and_what_follows_close_is_not(tmp_path):
    writer = tf.summary.FileWriter(str(tmp_path), flush_secs=3600)
    for step in range(100):
        writer.add_summary(scalar("a", step), step)
    writer.flush()
    assert [e.step for e in events(tmp_path)[1:]] == list(range(100))
    writer.close()
    writer.close()
    writer.add_summary(scalar("a", 0), 100)
    assert len(events(tmp_path)) == 101
    writer.reopen()
    writer.add_summary(scalar("a", 0), 7)
    writer.close()
    assert len(event_files(tmp_path)) == 2
    assert sorted(e.step for e in events(tmp_path))[-1] == 99
    assert 7 in [e.step for e in tf.train.summary_iterator(str(max(event_files(tmp_path), key=os.path.getmtime)))]


def test_two_writers_of_one_folder_have_files_of_their_own(tmp_path):
    writers = [tf.summary.FileWriter(str(tmp_path), filename_suffix=".mine") for _ in range(3)]
    for i, writer in enumerate(writers):
        writer.add_summary(scalar("a", i), i)
        writer.close()
    assert len(event_files(tmp_path)) == 3
    assert all(path.name.endswith(".mine") for path in event_files(tmp_path))
    assert sorted(e.step for e in events(tmp_path) if e.HasField("summary")) == [0, 1, 2]


def test_metadata_come_once_for_each_tag(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        text = session.run(tf.summary.text("words", tf.constant("hello")))
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        writer.add_summary(text, 1)
        writer.add_summary(text, 2)
    _, first, second = (e.summary for e in events(tmp_path))
    assert first.value[0].metadata.plugin_data.plugin_name == "text"
    assert not second.value[0].HasField("metadata")
    assert first.value[0].tensor == second.value[0].tensor


PROGRAM = """
import sys
import ferroflow as tf
writer = tf.summary.FileWriter(sys.argv[1], flush_secs=3600)
for step in range(1000):
    writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="a", simple_value=1.0)]), step)
"""


def test_nothing_is_lost_where_the_program_ends_without_closing(tmp_path):
    subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path)], check=True, timeout=60)
    assert [e.step for e in events(tmp_path)[1:]] == list(range(1000))
    ended = subprocess.run([sys.executable, "-c", PROGRAM + "raise RuntimeError", str(tmp_path / "b")], timeout=60)
    assert ended.returncode == 1
    assert len(events(tmp_path / "b")) == 1001


def test_a_killed_program_leaves_whole_events(tmp_path):
    program = PROGRAM + textwrap.dedent(
        """
        writer.flush()
        print("flushed", flush=True)
        while True:
            step += 1
            writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="a", simple_value=1.0)]), step)
            if step % 97 == 0:
                writer.flush()
        """
    )
    for delay in (0.0, 0.01, 0.03):
        folder = tmp_path / str(delay)
        with subprocess.Popen([sys.executable, "-c", program, str(folder)], stdout=subprocess.PIPE) as running:
            assert running.stdout.readline() == b"flushed\n"
            with contextlib.suppress(subprocess.TimeoutExpired):
                running.wait(delay)
            running.send_signal(signal.SIGKILL)
        (path,) = event_files(folder)
        found = []
        with contextlib.suppress(tf.errors.DataLossError):
            found.extend(e.step for e in tf.train.summary_iterator(str(path)) if e.HasField("summary"))
        assert len(found) >= 1000
        assert found == list(range(len(found)))


def test_what_is_no_graph_is_refused(tmp_path):
    graph = tf.Graph()
    with pytest.raises(TypeError, match="must be an instance of `Graph`"):
        tf.summary.FileWriter(str(tmp_path), "a graph")
    with pytest.raises(ValueError, match="only graph, or graph_def"):
        tf.summary.FileWriter(str(tmp_path), graph, graph_def=graph.as_graph_def())
    with pytest.raises(TypeError, match="must be type MetaGraphDef"), tf.summary.FileWriter(str(tmp_path)) as writer:
        writer.add_meta_graph(graph.as_graph_def())


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(tf.errors.OpError, match="file"):
        tf.summary.FileWriter(str(tmp_path / "file"))


class _Notes(tf.summary.PluginAsset):
    plugin_name = "notes"

    def assets(self):
        return {"a.txt": "hello"}


def test_files_of_plugins_lie_beside_the_events(tmp_path):
    with tf.Graph().as_default() as graph:
        tf.summary.get_plugin_asset(_Notes)
    tf.summary.FileWriter(str(tmp_path), graph).close()
    assert (tmp_path / "plugins" / "notes" / "a.txt").read_text(encoding="utf-8") == "hello"


def test_a_folder_has_one_cached_writer(tmp_path):
    with tf.Graph().as_default():
        one = tf.summary.FileWriterCache.get(str(tmp_path))
        assert tf.summary.FileWriterCache.get(str(tmp_path)) is one
    tf.summary.FileWriterCache.clear()
    with tf.Graph().as_default():
        assert tf.summary.FileWriterCache.get(str(tmp_path)) is not one
    tf.summary.FileWriterCache.clear()


def test_the_writer_of_old_warns(tmp_path):
    with logs_deprecation("tf.summary.FileWriter"):
        tf.train.SummaryWriter(str(tmp_path)).close()


def test_a_forked_process_is_told_that_the_file_is_not_its_own(tmp_path):
    program = PROGRAM + textwrap.dedent(
        """
        import os
        if os.fork() == 0:
            try:
                writer.add_summary(tf.Summary(), 1)
            except tf.errors.FailedPreconditionError as error:
                print(error.message, flush=True)
            os._exit(0)
        os.wait()
        """
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], timeout=60, capture_output=True, encoding="utf-8"
    )
    assert "was opened by another process" in ended.stdout
    assert len(events(tmp_path)) == 1001


def test_tensorboard_reads_the_events(tmp_path):
    reader = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    with tf.Graph().as_default(), tf.Session() as session:
        loss = tf.placeholder(tf.float32, [])
        merged = tf.summary.merge(
            [
                tf.summary.scalar("loss", loss),
                tf.summary.histogram("weights", tf.reshape(tf.range(10.0), [2, 5]) * loss),
                tf.summary.image("picture", tf.zeros([1, 4, 5, 3]), max_outputs=1),
                tf.summary.audio("sound", tf.zeros([1, 80]), 8000.0, max_outputs=1),
                tf.summary.text("words", tf.constant("hello")),
            ]
        )
        with tf.summary.FileWriter(str(tmp_path), session.graph) as writer:
            for step in range(5):
                writer.add_summary(session.run(merged, {loss: 1.0 / (step + 1)}), step)
    found = reader.EventAccumulator(str(tmp_path), size_guidance={"histograms": 0, "scalars": 0})
    found.Reload()
    assert [(e.step, e.value) for e in found.Scalars("loss")] == [(i, pytest.approx(1 / (i + 1))) for i in range(5)]
    assert found.Histograms("weights")[4].histogram_value.num == 10
    assert (found.Images("picture/image")[0].height, found.Images("picture/image")[0].width) == (4, 5)
    assert found.Audio("sound/audio")[0].sample_rate == 8000
    assert found.Tensors("words")[0].tensor_proto.string_val[0] == b"hello"
    assert {n.name for n in found.Graph().node} >= {"loss", "weights", "picture"}
