"""Laws of `get_variable` and of variable scopes: reuse, defaults, getters, errors."""

import threading

import pytest
from variables.graphs import graph  # noqa: F401 (a fixture)

import ferroflow as tf


def test_a_name_is_made_once():
    tf.get_variable("w", [1])
    message = r"Variable w already exists, disallowed\. Did you mean to set reuse=True"
    with pytest.raises(ValueError, match=message) as error:
        tf.get_variable("w", [1])
    assert "reuse=tf.AUTO_REUSE in VarScope? Originally defined at:" in str(error.value)
    assert "test_get_variable.py" in str(error.value)
    assert "get_variable.py" not in str(error.value).replace("test_get_variable.py", "")


def test_reuse_finds_only_what_get_variable_made():
    tf.Variable(1.0, name="v")
    with (
        tf.variable_scope("", reuse=True),
        pytest.raises(ValueError, match=r"Variable v does not exist, or was not created with tf.get_variable\(\)."),
    ):
        tf.get_variable("v", [])


def test_reuse_checks_shape_and_dtype():
    tf.get_variable("w", [2, 3])
    tf.get_variable_scope().reuse_variables()
    assert tf.get_variable("w") is tf.get_variable("w", [2, None])
    with pytest.raises(ValueError, match=r"specified shape \(2, 4\) and found shape \(2, 3\)"):
        tf.get_variable("w", [2, 4])
    with pytest.raises(ValueError, match="specified dtype int32 and found dtype float32_ref"):
        tf.get_variable("w", [2, 3], dtype=tf.int32)


def test_false_does_not_end_the_reuse_of_an_outer_scope():
    with tf.variable_scope("a"):
        made = tf.get_variable("w", [1])
    with tf.variable_scope("a", reuse=True), tf.variable_scope("", reuse=False) as inner:
        assert inner.reuse is True
    with tf.variable_scope("a", reuse=True):
        assert tf.get_variable("w", [1]) is made


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, r"Shape of a new variable \(w\) must be fully defined, but instead was <unknown>"),
        ({"shape": [1, None]}, r"must be fully defined, but instead was \(1, \?\)"),
        ({"shape": [1], "initializer": 1.0}, "If initializer is a constant, do not specify shape"),
        ({"shape": [1], "custom_getter": 3}, "custom_getter which is not callable"),
        ({"shape": [1], "partitioner": 3}, "Partitioner must be callable"),
        ({"initializer": 1.0, "dtype": tf.int32}, "Initializer type '.*float32.*' and explicit dtype '.*int32.*'"),
        ({"shape": [1], "dtype": tf.complex64}, "An initializer for variable w of .*complex64.* is required"),
        ({"shape": [1], "dtype": tf.quint8}, "An initializer for variable w of .*quint8.* is required"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        tf.get_variable("w", **arguments)


def test_an_initializer_without_arguments_brings_its_shape():
    v = tf.get_variable("w", initializer=lambda: tf.ones([2, 3], tf.float64))
    assert v.shape.as_list() == [2, 3]
    assert v.dtype.name == "float64_ref"


def test_a_plain_function_initializes_by_shape_and_dtype():
    v = tf.get_variable("w", [2], dtype=tf.int64, initializer=lambda shape, dtype: tf.ones(shape, dtype))
    assert v.dtype.name == "int64_ref"
    assert v.initial_value.op.name == "w/Initializer/ones"


def test_a_regularizer_adds_its_loss_once():
    with tf.variable_scope("s", regularizer=lambda v: tf.reduce_sum(v * v, name="loss")):
        tf.get_variable("w", [2], initializer=tf.ones_initializer())
        tf.get_variable("b", [2], regularizer=tf.no_regularizer)
    with tf.variable_scope("s", reuse=True):
        tf.get_variable("w", [2])
    losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    assert [loss.name for loss in losses] == ["s/w/Regularizer/loss:0"]


def test_getters_nest_from_the_inside():
    def suffix(mark):
        return lambda getter, name, *args, **kwargs: getter(f"{name}_{mark}", *args, **kwargs)

    with (
        tf.variable_scope("a", custom_getter=suffix("outer")),
        tf.variable_scope("b", custom_getter=suffix("inner")),
    ):
        assert tf.get_variable("v", [1]).name == "a/b/v_inner_outer:0"


def test_a_getter_of_the_first_signature_is_not_given_later_arguments():
    def getter(
        getter,
        name,
        shape,
        dtype,
        initializer,
        regularizer,
        reuse,
        trainable,
        collections,
        caching_device,
        partitioner,
        validate_shape,
        use_resource,
    ):
        assert trainable is True
        return getter(name, shape, dtype, initializer)

    assert tf.get_variable("v", [1], custom_getter=getter).name == "v:0"


@pytest.mark.parametrize("reuse", ["yes", 1, 0])
def test_reuse_is_one_of_four_values(reuse):
    with pytest.raises(ValueError, match="reuse parameter must be True or False or None"):
        tf.variable_scope("s", reuse=reuse)


def test_a_default_name_alone_cannot_reuse():
    with (
        pytest.raises(ValueError, match="reuse=True cannot be used without a name_or_scope"),
        tf.variable_scope(None, "d", reuse=True),
    ):
        pass
    with pytest.raises(TypeError, match="If default_name is None then name_or_scope is required"):
        tf.variable_scope(None)
    with pytest.raises(TypeError, match="name_or_scope must be a string or VariableScope"), tf.variable_scope(3):
        pass


def test_a_scope_that_fails_to_open_leaves_everything_as_it_was(graph):  # noqa: F811
    with pytest.raises(TypeError), tf.variable_scope(3):
        pass
    assert tf.get_variable_scope().name == ""
    assert graph.get_name_scope() == ""
    with (
        tf.Graph().as_default() as other,
        pytest.raises(ValueError, match="not a valid scope name"),
        tf.variable_scope("not valid!"),
    ):
        pass
    assert other.get_name_scope() == ""
    assert tf.get_default_graph() is graph


def test_an_error_inside_closes_the_scope():
    with pytest.raises(KeyError), tf.variable_scope("a"), tf.variable_scope("b"):
        raise KeyError
    assert tf.get_variable_scope().name == ""


def test_values_choose_the_graph():
    with tf.Graph().as_default() as other:
        x = tf.constant(1.0)
    with tf.variable_scope("s", values=[x]):
        assert tf.get_default_graph() is other


def test_each_thread_has_its_own_current_scope():
    seen = []

    def work(graph):  # noqa: F811
        with graph.as_default():
            seen.append(tf.get_variable_scope().name)

    with tf.variable_scope("main"):
        thread = threading.Thread(target=work, args=[tf.get_default_graph()])
        thread.start()
        thread.join()
    assert seen == [""]


def test_each_graph_has_its_own_variables():
    a = tf.get_variable("w", [1])
    with tf.Graph().as_default():
        assert tf.get_variable("w", [1]) is not a


def test_a_scope_lists_its_variables():
    with tf.variable_scope("a") as a:
        x = tf.get_variable("x", [1])
        y = tf.get_local_variable("y", [1])
    tf.get_variable("a_not_in_scope", [1])
    assert a.global_variables() == [x] == a.trainable_variables()
    assert a.local_variables() == [y]


@pytest.mark.parametrize("partitioner", [None, tf.fixed_size_partitioner(2)])
def test_a_variable_that_is_added_up_when_it_is_read_is_not_trained(partitioner):
    mode = tf.VariableSynchronization.ON_READ
    v = tf.get_variable("v", [2], synchronization=mode, aggregation=tf.VariableAggregation.SUM, partitioner=partitioner)
    assert tf.trainable_variables() == []
    for part in [v] if partitioner is None else v:
        assert (part.synchronization, part.aggregation) == (mode, tf.VariableAggregation.SUM)


def _square(value):
    return value * value


def test_a_constraint_is_that_of_the_scope_itself_and_not_of_an_outer_one():
    with tf.variable_scope("a", constraint=_square):
        assert tf.get_variable("v", [1]).constraint is _square
        with tf.variable_scope("b") as inner:
            assert inner.constraint is None
            assert tf.get_variable("v", [1]).constraint is None
            assert tf.get_variable("w", [1], constraint=_square).constraint is _square


def test_the_slices_of_a_variable_have_the_constraint_of_the_scope():
    with tf.variable_scope("a", constraint=_square, partitioner=tf.fixed_size_partitioner(2)):
        assert [v.constraint for v in tf.get_variable("v", [4])] == [_square, _square]


@pytest.mark.parametrize(("dtype", "value"), [(tf.bool, False), (tf.int64, 0), (tf.uint8, 0), (tf.string, b"")])
def test_a_variable_without_initializer_that_is_no_float_starts_at_zero(dtype, value):
    v = tf.get_variable("v", [2], dtype)
    with tf.Session() as sess:
        sess.run(v.initializer)
        assert sess.run(v).tolist() == [value, value]


def test_setters_change_the_defaults():
    with tf.variable_scope("s") as s:
        s.set_initializer(tf.ones_initializer())
        s.set_dtype(tf.float64)
        s.set_partitioner(tf.fixed_size_partitioner(2))
        s.set_regularizer(tf.no_regularizer)
        s.set_caching_device("/cpu:0")
        s.set_use_resource(False)
        s.set_custom_getter(lambda getter, *args, **kwargs: getter(*args, **kwargs))
        w = tf.get_variable("w", [4])
    assert w.dtype.name == "float64"
    assert len(w) == 2
    assert [v.initial_value.op.name for v in w] == [f"s/w/part_{i}/Initializer/ones" for i in range(2)]


def test_a_template_shares_its_variables_between_calls():
    template = tf.make_template("t", lambda size: tf.get_variable("w", [size]))
    first = template(3)
    assert template(3) is first
    assert first.name == "t/w:0"
    assert tf.make_template("t", lambda: tf.get_variable("w", [1]))().name == "t_1/w:0"
    assert template.variables == [first] == template.trainable_variables
    assert template.variable_scope_name == "t/"


def test_a_template_makes_no_trainable_variables_later():
    template = tf.make_template("t", lambda: tf.Variable(1.0))
    template()
    with pytest.raises(ValueError, match=r"(?s)Trainable variable created .*originally defined at"):
        template()
