"""Servers that the tests of this folder share: one worker and two parameter servers in this process."""

from __future__ import annotations

import pytest

import ferroflow as tf


@pytest.fixture(scope="session")
def cluster():
    """The target of the worker."""
    workers, _ = tf.test.create_local_cluster(num_workers=1, num_ps=2)
    return workers[0].target


@pytest.fixture(params=["in one process", "over sockets"])
def config(request):
    """Options of a session with state of its own; the second reaches tasks of its own process over sockets, too."""
    made = tf.ConfigProto(isolate_session_state=True)
    made.rpc_options.use_rpc_for_inprocess_master = request.param == "over sockets"
    return made
