"""Functions and classes that a program replaces in TensorFlow's internal modules are replaced where they are used."""

import contextlib
import importlib
import types
from unittest import mock

import pytest

import ferroflow as tf
from ferroflow._src.base.replacing import is_replaceable
from ferroflow._src.summary import tags
from ferroflow._src.training import global_step
from ferroflow.python.ops import check_ops, summary_op_util
from ferroflow.python.training import device_setter, training_util


def _tag():
    with tf.Graph().as_default(), tf.Session() as session:
        (value,) = tf.Summary.FromString(session.run(tf.summary.scalar("x", 1.0))).value
    return value.tag


@contextlib.contextmanager
def _renamed(name, family=None, default_name=None, values=None):
    with tf.name_scope(name) as scope:
        yield "renamed", scope


def test_a_program_assigns_a_function_and_the_original_again():
    original = summary_op_util.summary_scope
    assert original is tags.summary_scope
    try:
        summary_op_util.summary_scope = _renamed
        assert _tag() == "renamed"
    finally:
        summary_op_util.summary_scope = original
    assert _tag() == "x"
    assert tags.summary_scope is original


def test_a_test_replaces_a_function_for_a_while():
    with mock.patch.object(summary_op_util, "summary_scope", _renamed):
        assert _tag() == "renamed"
    assert _tag() == "x"
    assert summary_op_util.summary_scope is tags.summary_scope


def test_a_class_is_replaced_too():
    class Last:
        def __init__(self, tasks):
            self._tasks = tasks

        def __call__(self, op):
            return self._tasks - 1

    def device():
        with tf.Graph().as_default(), tf.device(tf.train.replica_device_setter(ps_tasks=3)):
            return tf.Variable(1.0).device

    with mock.patch.object(device_setter, "_RoundRobinStrategy", Last):
        assert device() == "/job:ps/task:2"
    assert device() == "/job:ps/task:0"


def test_one_function_may_replace_two():
    originals = training_util.get_global_step, training_util.get_or_create_global_step
    with tf.Graph().as_default():
        step = tf.constant(5)
        training_util.get_global_step = training_util.get_or_create_global_step = lambda graph=None: step
        assert global_step.get_global_step() is step
        training_util.get_global_step, training_util.get_or_create_global_step = originals
        assert (global_step.get_global_step, global_step.get_or_create_global_step) == originals


def test_new_names_and_constants_belong_to_the_module_alone():
    summary_op_util.name_of_this_test = 1
    assert not hasattr(tags, "name_of_this_test")
    del summary_op_util.name_of_this_test
    assert not hasattr(summary_op_util, "name_of_this_test")


@pytest.mark.parametrize("name", ["assert_greater_equal", "assert_less_equal"])
def test_a_function_of_tf_itself_is_replaced_where_it_is_used(name):
    def without_assertion(x, y, data=None, summarize=None, message=None, name=None):
        return tf.no_op(name="replaced")

    def names():
        with tf.Graph().as_default() as graph:
            tf.metrics.auc(tf.placeholder(tf.bool, [2]), tf.placeholder(tf.float32, [2]))
            return [op.name for op in graph.get_operations() if op.name.endswith("replaced")]

    assert not names()
    with mock.patch.object(check_ops, name, without_assertion):
        assert len(names()) == 1
    assert not names()
    assert getattr(check_ops, name) is getattr(tf, name)


@pytest.mark.parametrize("module", ["check_ops", "array_ops", "math_ops", "control_flow_ops", "nn_ops", "variables"])
def test_every_function_and_class_of_an_internal_module_can_be_replaced(module):
    names = importlib.import_module(f"ferroflow.python.ops.{module}")
    found = {name: getattr(names, name) for name in names.__all__}
    own = {name: each for name, each in found.items() if isinstance(each, (types.FunctionType, type))}
    assert own
    assert [name for name, each in own.items() if not is_replaceable(each)] == []
