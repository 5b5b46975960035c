"""Modules by TensorFlow's paths inside of `tf.contrib` have the public names, and only those."""

import importlib

import pytest

import ferroflow as tf
from ferroflow.command_line.check import SUPPORTED, _resolved
from ferroflow.contrib import _paths

SAME = {
    "contrib.layers.python.layers.utils.last_dimension": "contrib.layers.utils.last_dimension",
    "contrib.layers.python.layers.utils.collect_named_outputs": "contrib.slim.utils.collect_named_outputs",
    "contrib.crf.python.ops.crf.crf_decode": "contrib.crf.crf_decode",
    "contrib.framework.python.ops.add_arg_scope": "contrib.framework.add_arg_scope",
    "contrib.layers.python.layers.initializers.xavier_initializer": "contrib.layers.xavier_initializer",
    "contrib.legacy_seq2seq.python.ops.seq2seq.sequence_loss": "contrib.legacy_seq2seq.sequence_loss",
    "contrib.rnn.python.ops.core_rnn_cell.GRUCell": "nn.rnn_cell.GRUCell",
    "contrib.seq2seq.python.ops.attention_wrapper.AttentionWrapper": "contrib.seq2seq.AttentionWrapper",
    "contrib.slim.python.slim.learning.train": "contrib.slim.learning.train",
    "contrib.training.python.training.hparam.HParams": "contrib.training.HParams",
}


def public(name):
    found = tf
    for part in name.split("."):
        found = getattr(found, part)
    return found


@pytest.mark.parametrize("name", SAME)
def test_names_are_the_public_ones(name):
    module, _, last = name.rpartition(".")
    assert getattr(importlib.import_module(f"ferroflow.{module}"), last) is public(SAME[name])
    assert _resolved(f"tf.{name}") == (f"tf.{name}", SUPPORTED, "")


@pytest.mark.parametrize("name", sorted(_paths._KNOWN))
def test_every_path_is_a_module(name):
    module = importlib.import_module(f"ferroflow.contrib.{name}")
    assert module.__name__ == f"ferroflow.contrib.{name}"
    with pytest.raises(AttributeError, match=r"\.no_such_name is not in ferroflow"):
        module.no_such_name  # noqa: B018


def test_slim_has_the_modules_of_layers():
    slim = tf.contrib.slim
    assert slim.initializers.xavier_initializer is tf.contrib.layers.xavier_initializer
    assert slim.regularizers.l2_regularizer is tf.contrib.layers.l2_regularizer


def test_what_tensorflow_has_no_module_for_is_none():
    with pytest.raises(ModuleNotFoundError, match="is not in ferroflow"):
        importlib.import_module("ferroflow.contrib.rnn.python.ops.nothing")
    with pytest.raises(ImportError, match="is not in ferroflow"):
        exec("from ferroflow.contrib.rnn.python.ops.core_rnn_cell import Nothing")
