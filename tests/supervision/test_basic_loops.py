"""The basic loop calls a step until the supervisor stops, also after a restart of a machine."""

from __future__ import annotations

from typing import Any

import pytest

import ferroflow as tf

pytestmark = pytest.mark.filterwarnings("ignore:tf.train.Supervisor is deprecated")


@pytest.fixture
def supervisor() -> Any:
    tf.Variable(1)
    return tf.train.Supervisor()


def test_it_calls_until_a_stop(supervisor: Any) -> None:
    calls = []

    def train(sess: Any, *args: Any, **kwargs: Any) -> None:
        assert isinstance(sess, tf.Session)
        calls.append((args, kwargs))
        if len(calls) == 3:
            supervisor.request_stop()

    tf.train.basic_train_loop(supervisor, train, args=(1, 2), kwargs={"a": 3})
    assert calls == [((1, 2), {"a": 3})] * 3


def test_after_a_restart_it_goes_on_in_another_session(supervisor: Any) -> None:
    sessions = []

    def train(sess: Any) -> None:
        sessions.append(sess)
        if len(sessions) == 2:
            raise tf.errors.AbortedError(None, None, "restarted")
        if len(sessions) == 4:
            supervisor.request_stop()

    tf.train.basic_train_loop(supervisor, train)
    assert sessions[0] is sessions[1] is not sessions[2] is sessions[3]


def test_other_failures_end_it(supervisor: Any) -> None:
    def train(sess: Any) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        tf.train.basic_train_loop(supervisor, train)


def test_the_end_of_input_is_no_failure(supervisor: Any) -> None:
    def train(sess: Any) -> None:
        raise tf.errors.OutOfRangeError(None, None, "no more")

    tf.train.basic_train_loop(supervisor, train)
    assert supervisor.should_stop()
