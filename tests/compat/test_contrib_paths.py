"""Modules by TensorFlow's paths inside of `tf.contrib` have the public names, and only those."""

import importlib

import pytest
from compat.virtual_paths import names_an_absent_function

import ferroflow as tf
from ferroflow.command_line.check import SUPPORTED, _resolved
from ferroflow.python import _table

SAME = {
    "contrib.layers.python.layers.utils.last_dimension": "contrib.layers.utils.last_dimension",
    "contrib.layers.python.layers.utils.collect_named_outputs": "contrib.slim.utils.collect_named_outputs",
    "contrib.crf.python.ops.crf.crf_decode": "contrib.crf.crf_decode",
    "contrib.distributions.python.ops.bernoulli.Bernoulli": "distributions.Bernoulli",
    "contrib.distributions.python.ops.kullback_leibler.RegisterKL": "distributions.RegisterKL",
    "contrib.distributions.python.ops.student_t.StudentT": "distributions.StudentT",
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


@pytest.mark.parametrize("family", sorted(_table.below("contrib")))
def test_every_path_is_a_module(family):
    for name in sorted(name for name in _table._known() if name.startswith(f"contrib.{family}.")):
        if names_an_absent_function(name):
            with pytest.raises(ModuleNotFoundError, match="is not in ferroflow"):
                importlib.import_module(f"ferroflow.{name}")
            continue
        module = importlib.import_module(f"ferroflow.{name}")
        assert module.__name__ == f"ferroflow.{name}"
    with pytest.raises(AttributeError, match=r"\.no_such_name is not in ferroflow"):
        importlib.import_module(f"ferroflow.contrib.{family}").no_such_name  # noqa: B018


def test_slim_has_the_modules_of_layers():
    slim = tf.contrib.slim
    assert slim.initializers.xavier_initializer is tf.contrib.layers.xavier_initializer
    assert slim.regularizers.l2_regularizer is tf.contrib.layers.l2_regularizer


def test_what_tensorflow_has_no_module_for_is_none():
    with pytest.raises(ModuleNotFoundError, match="is not in ferroflow"):
        importlib.import_module("ferroflow.contrib.rnn.python.ops.nothing")
    with pytest.raises(ImportError, match="is not in ferroflow"):
        exec("from ferroflow.contrib.rnn.python.ops.core_rnn_cell import Nothing")


@pytest.mark.parametrize(
    "module",
    [
        "python.ops.rnn_cell_impl",
        *(f"contrib.rnn.python.ops.{name}" for name in ("core_rnn_cell", "core_rnn_cell_impl")),
    ],
)
def test_cells_of_programs_find_what_tensorflows_are_made_of(module):
    parts = importlib.import_module(f"ferroflow.{module}")
    ones = tf.ones_initializer()
    with tf.Graph().as_default(), tf.Session() as sess:
        x, h = tf.constant([[1.0, 2.0]]), tf.constant([[3.0]])
        with tf.variable_scope("first"):
            once = parts._linear(
                [x, h], 2, True, bias_initializer=tf.constant_initializer(0.5), kernel_initializer=ones
            )
        with tf.variable_scope("second"):
            again = parts._Linear(x, 2, build_bias=False, kernel_initializer=ones)
        sess.run(tf.global_variables_initializer())
        assert sess.run(once).tolist() == [[6.5, 6.5]]
        assert sess.run(again(2 * x)).tolist() == [[6.0, 6.0]]
        assert [v.op.name for v in tf.global_variables()] == ["first/kernel", "first/bias", "second/kernel"]
        for nothing in (None, []):
            with pytest.raises(ValueError, match="must be specified"):
                parts._linear(nothing, 2, True)


def test_sizes_of_states_are_joined_as_tensorflows_cells_do():
    from ferroflow.python.ops import rnn_cell_impl

    with tf.Graph().as_default(), tf.Session() as sess:
        batch = tf.placeholder(tf.int32, [])
        assert sess.run(rnn_cell_impl._concat(batch, [2, 3]), {batch: 4}).tolist() == [4, 2, 3]
        assert rnn_cell_impl._concat(batch, [2, 3], static=True) == [None, 2, 3]
        assert rnn_cell_impl._concat(tf.TensorShape(None), 2, static=True) is None
        assert rnn_cell_impl._like_rnncell(tf.nn.rnn_cell.GRUCell(2))
        assert not rnn_cell_impl._like_rnncell(len)


def test_decoders_of_programs_swap_batch_and_time_as_tensorflows_do():
    from ferroflow.contrib.seq2seq.python.ops import decoder
    from ferroflow.python.ops import rnn

    assert decoder._transpose_batch_time is rnn._transpose_batch_time
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 3, 5])
        assert rnn._transpose_batch_time(x).shape.as_list() == [3, None, 5]
        assert rnn._best_effort_input_batch_size([x]) == 3
