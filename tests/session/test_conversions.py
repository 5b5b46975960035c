"""Types of a program's own are fetched and fed as it says."""

import pytest

import ferroflow as tf
from ferroflow._src.session import fetches
from ferroflow.python.client.session import register_session_run_conversion_functions


class Squared:
    def __init__(self, tensor):
        self.tensor = tensor
        self.square = tf.square(tensor)


class Named(Squared):
    pass


@pytest.fixture(autouse=True)
def _registered(monkeypatch):
    monkeypatch.setattr(fetches, "_conversions", list(fetches._conversions))
    register_session_run_conversion_functions(
        Squared,
        lambda fetch: ([fetch.tensor, fetch.square], lambda values: dict(zip("xy", values, strict=True))),
        lambda feed, value: [(feed.tensor, value)],
        lambda feed: [feed.tensor],
    )


def test_objects_are_fetched_and_fed():
    with tf.Graph().as_default(), tf.Session() as sess:
        one, other = Squared(tf.placeholder(tf.float32, [])), Squared(tf.constant(5.0))
        found = sess.run([one, {"other": other}], {one: 3.0})
        assert found == [{"x": 3.0, "y": 9.0}, {"other": {"x": 5.0, "y": 25.0}}]


def test_objects_are_fed_to_steps_in_parts():
    with tf.Graph().as_default(), tf.Session() as sess:
        fed = Squared(tf.placeholder(tf.float32, []))
        handle = sess.partial_run_setup([fed.square], [fed])
        assert sess.partial_run(handle, fed.square, {fed: 4.0}) == 16.0


def test_a_type_is_registered_once_and_before_those_it_derives_from():
    for known in (Squared, object):
        with pytest.raises(ValueError, match="already been registered"):
            register_session_run_conversion_functions(known, lambda fetch: ([], list))
    register_session_run_conversion_functions(Named, lambda fetch: ([fetch.square], lambda values: values[0]))
    with tf.Graph().as_default(), tf.Session() as sess:
        assert sess.run(Named(tf.constant(6.0))) == 36.0
