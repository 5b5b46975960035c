"""Laws of `Variable`: reading, writing, its arguments, its message."""

import inspect

import numpy as np
import pytest
from variables.graphs import graph  # noqa: F401 (a fixture)

import ferroflow as tf
from ferroflow._src.base import errors, proto


@pytest.mark.parametrize("use_resource", [False, True])
@pytest.mark.parametrize(
    "collections", [None, [tf.GraphKeys.TRAINABLE_VARIABLES], (tf.GraphKeys.TRAINABLE_VARIABLES, "x")]
)
def test_a_variable_is_once_among_those_that_are_trained(collections, use_resource):
    v = tf.get_variable("v", [], collections=collections, use_resource=use_resource)
    assert tf.trainable_variables() == [v]
    assert tf.global_variables() == ([v] if collections is None else [])


def test_reading_before_the_first_assignment_names_the_variable():
    v = tf.Variable(1.0, name="w")
    with tf.Session() as sess, pytest.raises(errors.FailedPreconditionError, match="uninitialized value w"):
        sess.run(v)


def test_assignments_change_the_value_of_later_steps():
    v = tf.Variable([1.0, 2.0])
    with tf.Session() as sess:
        sess.run(v.initializer)
        assert sess.run(v.assign_add([1.0, 1.0])).tolist() == [2.0, 3.0]
        assert sess.run(v.assign_sub([0.5, 0.5])).tolist() == [1.5, 2.5]
        assert sess.run(v.assign([9.0, 8.0])).tolist() == [9.0, 8.0]
        assert v.eval(sess).tolist() == [9.0, 8.0]


def test_an_assignment_can_return_its_operation():
    v = tf.Variable(1.0)
    assert v.assign(2.0, read_value=False) is v.graph.get_operation_by_name("Assign")


def test_load_writes_without_adding_to_the_graph(graph):  # noqa: F811
    v = tf.Variable([1.0, 2.0])
    with tf.Session() as sess:
        graph.finalize()
        v.load([5.0, 6.0], sess)
        assert sess.run(v).tolist() == [5.0, 6.0]


def test_load_without_a_session_is_refused():
    with pytest.raises(ValueError, match="session argument should be provided or default session"):
        tf.Variable(1.0).load(2.0)


def test_the_dtype_is_a_reference_to_that_of_the_initial_value():
    assert tf.Variable(1).dtype.name == "int32_ref"
    assert tf.Variable(1, dtype=tf.float64).dtype.name == "float64_ref"
    assert tf.Variable(np.float16(1)).value().dtype.name == "float16"


def test_the_signature_is_that_of_the_constructor():
    parameters = inspect.signature(tf.Variable).parameters
    assert list(parameters)[:5] == ["initial_value", "trainable", "collections", "validate_shape", "caching_device"]
    assert parameters["validate_shape"].default is True


def test_a_variable_iterates_over_nothing():
    with pytest.raises(TypeError, match="'Variable' object is not iterable"):
        iter(tf.Variable([1.0, 2.0]))


def test_operators_are_those_of_the_value():
    v = tf.Variable([2.0, 3.0])
    with tf.Session() as sess:
        sess.run(v.initializer)
        found = sess.run([v + 1.0, 1.0 - v, 2.0 * v, v / 2.0, v**2.0, -v, v < 2.5, v[1], abs(v), np.ones(2, "f") * v])
    expected = [[3, 4], [-1, -2], [4, 6], [1, 1.5], [4, 9], [-2, -3], [True, False], 3, [2, 3], [2, 3]]
    assert [np.asarray(f).tolist() for f in found] == expected


def test_in_place_operators_make_tensors():
    v = tf.Variable([2.0])
    total = v
    total += 1.0
    assert total is not v
    assert total.op.type == "Add"
    assert isinstance(v, tf.Variable)


def test_a_slice_can_be_assigned_to():
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.Session() as sess:
        sess.run(v.initializer)
        assert sess.run(v[1:].assign([7.0, 8.0])).tolist() == [1.0, 7.0, 8.0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "initial_value must be specified"),
        ({"initial_value": 1.0, "collections": "mine"}, "must be a list, tuple, or set"),
        ({"initial_value": 1.0, "constraint": 3}, "`constraint` argument must be a callable"),
        ({"initial_value": 1.0, "synchronization": 17}, "Invalid variable synchronization mode"),
        ({"initial_value": 1.0, "aggregation": 17}, "Invalid variable aggregation mode"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        tf.Variable(**arguments)


def test_all_arguments_may_be_positional(graph):  # noqa: F811
    names = list(inspect.signature(tf.Variable).parameters)
    given = {"initial_value": 1.0, "trainable": False, "validate_shape": True, "name": "v", "dtype": tf.float64}
    arguments = [given.get(name) for name in names]
    assert len(arguments) == 15
    seen = []

    def creator(make, **kwargs):
        seen.append({key: value for key, value in kwargs.items() if value is not None})
        return make(**kwargs)

    with tf.variable_creator_scope(creator):
        v = tf.Variable(*arguments)
    assert seen == [given]
    assert (v.op.name, v.dtype.base_dtype) == ("v", tf.float64)
    assert tf.trainable_variables() == []
    with pytest.raises(TypeError, match=r"at most 15 arguments \(16 given\)"):
        tf.Variable(*arguments, None)
    with pytest.raises(TypeError, match="multiple values for argument 'trainable'"):
        tf.Variable(1.0, True, trainable=True)


def test_an_initial_value_of_unknown_shape_needs_validate_shape_off():
    x = tf.placeholder(tf.float32)
    with pytest.raises(ValueError, match="initial_value must have a shape specified"):
        tf.Variable(x)
    v = tf.Variable(x, validate_shape=False)
    assert v.shape.ndims is None
    with tf.Session() as sess:
        assert sess.run(v.assign([[1.0]])).tolist() == [[1.0]]
        sess.run(v.initializer, {x: [1.0, 2.0]})
        assert sess.run(v).tolist() == [1.0, 2.0]


def test_a_value_of_another_shape_is_refused_when_the_graph_is_made():
    with pytest.raises(ValueError, match=r"[Ss]hape"):
        tf.Variable([1.0, 2.0]).assign([1.0, 2.0, 3.0])


def test_an_initial_value_may_depend_on_another_variable():
    a = tf.Variable(tf.random_uniform([3], seed=1), name="a")
    b = tf.Variable(a * 2.0, name="b")
    c = tf.Variable(a.initialized_value() + b.initialized_value(), name="c")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        x, y, z = sess.run([a, b, c])
    assert (y == x * 2).all()
    assert (z == x + y).all()


def test_an_initialized_value_is_the_value_once_there_is_one():
    v = tf.Variable(1.0)
    value = v.initialized_value()
    with tf.Session() as sess:
        assert sess.run(value) == 1.0
        v.load(5.0, sess)
        assert sess.run(value) == 5.0


def test_a_long_chain_behind_an_initial_value_is_no_recursion():
    v = tf.Variable(1.0, name="v")
    x = v.value()
    for _ in range(3000):
        x = tf.identity(x)
    w = tf.Variable(x, name="w")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(w) == 1.0


def test_a_message_describes_the_variable_and_finds_it_again():
    v = tf.Variable([1.0, 2.0], name="v")
    definition = v.to_proto()
    assert isinstance(definition, proto.VariableDef)
    assert definition.variable_name == "v:0"
    assert definition.initializer_name == "v/Assign"
    assert definition.initial_value_name == "v/initial_value:0"
    assert definition.snapshot_name == "v/read:0"
    again = tf.Variable.from_proto(definition)
    assert again.op is v.op
    assert again.initializer is v.initializer
    assert again.value() is v.value()
    assert again.to_proto() == definition


def test_a_message_leaves_out_the_export_scope():
    with tf.name_scope("s"):
        v = tf.Variable(1.0, name="v")
    definition = v.to_proto(export_scope="s")
    assert definition.variable_name == "v:0"
    assert definition.snapshot_name == "v/read:0"
    assert tf.Variable(variable_def=definition, import_scope="s").op is v.op
    assert v.to_proto(export_scope="other") is None


def test_a_variable_of_another_graph_is_not_found():
    definition = tf.Variable(1.0, name="v").to_proto()
    with tf.Graph().as_default(), pytest.raises(KeyError, match="v:0"):
        tf.Variable.from_proto(definition)


def test_a_graph_element_of_a_variable_is_its_reference(graph):  # noqa: F811
    v = tf.Variable(1.0, name="v")
    assert graph.as_graph_element(v).name == "v:0"
    assert tf.convert_to_tensor(v) is v.value()


def test_conversion_to_another_dtype_is_refused():
    with pytest.raises(ValueError, match="Incompatible type conversion requested to type 'int32' for variable"):
        tf.convert_to_tensor(tf.Variable(1.0), dtype=tf.int32)


def test_creators_see_every_variable_the_innermost_first():
    seen = []

    def creator(mark):
        def create(next_creator, **kwargs):
            seen.append((mark, kwargs["name"]))
            kwargs["name"] = f"{kwargs['name']}_{mark}"
            return next_creator(**kwargs)

        return create

    with tf.variable_creator_scope(creator("outer")), tf.variable_creator_scope(creator("inner")):
        a = tf.Variable(1.0, name="a")
        b = tf.get_variable("b", [1])
    c = tf.Variable(1.0, name="c")
    assert [v.name for v in (a, b, c)] == ["a_inner_outer:0", "b_inner_outer:0", "c:0"]
    assert seen == [("inner", "a"), ("outer", "a_inner"), ("inner", "b"), ("outer", "b_inner")]


def test_rows_and_slices_are_read() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.Variable([[1, 2], [3, 4], [5, 6]])
        sess.run(v.initializer)
        assert sess.run(v.sparse_read([2, 0])).tolist() == [[5, 6], [1, 2]]
        assert sess.run(v.gather_nd([[1, 0], [2, 1]])).tolist() == [3, 6]


def test_a_slice_of_a_variable_is_assigned_to() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.Variable([1, 2, 3])
        sess.run(v.initializer)
        assert sess.run(tf.assign(v[1:], [7, 8])).tolist() == [1, 7, 8]
