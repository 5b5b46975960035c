"""Laws of `tf.test.TestCase`'s comparisons of messages."""

import unittest

import pytest

import ferroflow as tf


class Case(tf.test.TestCase):
    def runTest(self):  # noqa: N802  # unittest's spelling
        pass


def test_the_method_for_sessions_is_no_test():
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Case).run(result)
    assert [(case.id().rpartition(".")[2], why) for case, why in result.skipped] == [("test_session", "Not a test.")]
    assert result.wasSuccessful()


def test_text_with_a_message_of_any_type_is_read():
    holder = tf.MetaGraphDef()
    inner = tf.MetaGraphDef(graph_def=tf.GraphDef(versions={"producer": 3}))
    holder.collection_def["k"].any_list.value.add().Pack(inner)
    kind = "type.googleapis.com/tensorflow.MetaGraphDef"

    def text(producer):
        value = f"[{kind}] {{ graph_def {{ versions {{ producer: {producer} }} }} }}"
        return f'collection_def {{ key: "k" value {{ any_list {{ value {{ {value} }} }} }} }}'

    Case().assertProtoEquals(text(3), holder)
    with pytest.raises(AssertionError):
        Case().assertProtoEquals(text(4), holder)
