"""Laws of the operations that initialize variables and find those without a value."""

import pytest
from deprecations import logs_deprecation
from variables.graphs import graph  # noqa: F401 (a fixture)

import ferroflow as tf
from ferroflow._src.base import errors
from ferroflow._src.variables import resources


def test_initializers_cover_their_collections():
    a = tf.Variable(1.0, name="a")
    b = tf.Variable(2.0, name="b", collections=[tf.GraphKeys.LOCAL_VARIABLES])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(a) == 1.0
        with pytest.raises(errors.FailedPreconditionError):
            sess.run(b)
        sess.run(tf.local_variables_initializer())
        assert sess.run(b) == 2.0


def test_missing_values_are_reported_in_order():
    a, b, c = (tf.Variable(0.0, name=n) for n in "abc")
    report = tf.report_uninitialized_variables()
    some = tf.report_uninitialized_variables([b])
    with tf.Session() as sess:
        assert sess.run(report).tolist() == [b"a", b"b", b"c"]
        sess.run(b.initializer)
        assert sess.run(report).tolist() == [b"a", b"c"]
        assert sess.run(some).tolist() == []
        sess.run([a.initializer, c.initializer])
        assert sess.run(report).tolist() == []
    assert report.name.startswith("report_uninitialized_variables/")


def test_missing_values_of_local_variables_are_reported():
    a = tf.Variable(0.0, name="a")
    tf.Variable(0.0, name="b", collections=[tf.GraphKeys.LOCAL_VARIABLES])
    report = tf.report_uninitialized_variables()
    with tf.Session() as sess:
        sess.run(a.initializer)
        assert sess.run(report).tolist() == [b"b"]


def test_without_variables_there_is_nothing_to_report():
    report = tf.report_uninitialized_variables()
    assert tf.assert_variables_initialized() is None
    with tf.Session() as sess:
        assert sess.run(report).size == 0


def test_asserting_fails_until_all_have_values():
    a, b = tf.Variable(1.0), tf.Variable([2.0])
    check = tf.assert_variables_initialized()
    is_set = tf.is_variable_initialized(b)
    with tf.Session() as sess:
        sess.run(a.initializer)
        assert not sess.run(is_set)
        with pytest.raises(errors.FailedPreconditionError, match="uninitialized value"):
            sess.run(check)
        sess.run(b.initializer)
        assert sess.run(check).tolist() == [0, 1]
        assert sess.run(is_set)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("initialize_all_variables", "global_variables_initializer"),
        ("initialize_local_variables", "local_variables_initializer"),
        ("all_variables", "global_variables"),
    ],
)
def test_old_names_warn_and_do_the_same(old, new):
    v = tf.Variable(1.0)
    with logs_deprecation(new):
        found = getattr(tf, old)()
    assert found == [v] if old == "all_variables" else found.type == "NoOp"


def test_initialize_variables_warns_and_initializes():
    v = tf.Variable(3.0)
    with logs_deprecation("variables_initializer"):
        init = tf.initialize_variables([v])
    with tf.Session() as sess:
        sess.run(init)
        assert sess.run(v) == 3.0


def test_collections_filter_by_scope():
    with tf.name_scope("a"):
        x = tf.Variable(1.0, collections=["model_variables", "moving_average_variables"])
    y = tf.Variable(1.0)
    assert tf.model_variables() == [x] == tf.moving_average_variables("a")
    assert tf.global_variables("a") == []
    assert tf.global_variables() == [y]
    assert tf.trainable_variables() == [x, y]
    assert tf.trainable_variables("a") == [x]


def table(name):
    """The handle of a table, the operation that fills it, and whether it is filled."""
    made = tf.Variable(False, name=f"{name}_made")
    return tf.constant("handle", name=name), tf.assign(made, True), made.read_value()


@pytest.mark.parametrize("is_shared", [True, False, None])
def test_a_resource_is_among_the_shared_or_the_local_ones(is_shared):
    handle, create, is_made = table("forest")
    if is_shared is None:
        resources.register_resource(handle, create, is_made)
    else:
        resources.register_resource(handle, create, is_made, is_shared)
    shared, local = resources.shared_resources(), resources.local_resources()
    assert [len(shared), len(local)] == ([0, 1] if is_shared is False else [1, 0])
    assert (shared or local)[0].handle is handle
    report = resources.report_uninitialized_resources()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(report).tolist() == [b"forest:0"]
        sess.run(resources.initialize_resources(shared or local))
        assert sess.run(report).tolist() == []


def test_resources_that_are_not_made_are_reported_whether_shared_or_local():
    a, b, c = (table(name) for name in "abc")
    for each, is_shared in ((a, True), (b, False), (c, True)):
        resources.register_resource(*each, is_shared=is_shared)
    report = resources.report_uninitialized_resources()
    only_c = resources.report_uninitialized_resources(resources.shared_resources()[1:])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(report).tolist() == [b"a:0", b"c:0", b"b:0"]
        sess.run(resources.initialize_resources(resources.local_resources()))
        assert sess.run(report).tolist() == [b"a:0", b"c:0"]
        assert sess.run(only_c).tolist() == [b"c:0"]
        sess.run(resources.initialize_resources([]))
        assert sess.run(resources.report_uninitialized_resources([])).tolist() == []
