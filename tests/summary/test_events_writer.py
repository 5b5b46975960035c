"""The native writer of event files, and the description that a summary op keeps."""

import os

import pytest

import ferroflow as tf


def test_events_are_written_below_a_prefix(tmp_path):
    writer = tf.pywrap_tensorflow.EventsWriter(os.fsencode(tmp_path / "folder" / "mine"))
    for step in (3, 4):
        value = tf.Summary.Value(tag="loss", simple_value=step / 2)
        writer.WriteEvent(tf.summary.Event(wall_time=5.0, step=step, summary=tf.summary.Summary(value=[value])))
    assert writer.Flush()
    name = os.fsdecode(writer.FileName())
    assert os.path.basename(name).startswith("mine.out.tfevents.")
    first, *events = tf.train.summary_iterator(name)
    assert first.file_version == "brain.Event:2"
    assert [(e.step, e.summary.value[0].simple_value) for e in events] == [(3, 1.5), (4, 2.0)]
    assert writer.Close()
    assert os.listdir(tmp_path / "folder") == [os.path.basename(name)]
    # Another file follows a closed one.
    writer.InitWithSuffix(".end")
    assert os.fsdecode(writer.FileName()).endswith(".end")
    assert writer.FileName() != os.fsencode(name)
    assert writer.Close()


def test_a_file_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "file").touch()
    writer = tf.pywrap_tensorflow.EventsWriter(str(tmp_path / "file" / "mine"))
    with pytest.raises(tf.errors.OpError):
        writer.WriteEvent(tf.Event())


def test_a_summarys_description_is_read_from_its_node():
    node = tf.NodeDef(op="TensorSummary")
    node.attr["description"].s = b'{"typeHint": "images"}'
    description = tf.summary.get_summary_description(node)
    assert isinstance(description, tf.summary.SummaryDescription)
    assert description.type_hint == "images"
    with pytest.raises(ValueError, match="Can't get_summary_description on Add"):
        tf.summary.get_summary_description(tf.NodeDef(op="Add"))
