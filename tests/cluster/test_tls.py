"""TLS between a session and a task: who is let in, what others see, and what they can do."""

import contextlib
import re
import socket
import ssl
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from cluster.task_processes import Task

import ferroflow as tf
from ferroflow.command_line.launching.tasks import free_ports

PROGRAM = Path(__file__).with_name("limited_program.py")
CERTIFICATES = Path(__file__).with_name("certificates")
TOKEN = "f3a1-token-of-this-test"
PATIENCE = 60.0
# What an error may take: connections have three seconds for their handshake.
PROMPT = 20.0


def options(tls="always", token=TOKEN, task=None, authority="authority"):
    """The variables of a process."""
    found = {"FERROFLOW_CLUSTER_TLS": tls, "FERROFLOW_CLUSTER_TOKEN": token}
    if task is not None:
        found["FERROFLOW_CLUSTER_TLS_CERTIFICATE"] = str(CERTIFICATES / f"{task}.pem")
        found["FERROFLOW_CLUSTER_TLS_KEY"] = str(CERTIFICATES / f"{task}.key")
        found["FERROFLOW_CLUSTER_TLS_AUTHORITY"] = str(CERTIFICATES / f"{authority}.pem")
    return found


@pytest.fixture
def server():
    """Starts a parameter server with options; returns its port."""
    with contextlib.ExitStack() as stack:

        def start(**given):
            port = free_ports(1, "127.0.0.1")[0]
            task = Task(PROGRAM, [f'{{"ps": ["127.0.0.1:{port}"]}}', "512", "512"], **options(**given))
            stack.callback(task.kill)
            deadline = time.monotonic() + PATIENCE
            while not task.reports:
                assert time.monotonic() < deadline, "".join(task.other)
                time.sleep(0.02)
            return port

        yield start


@pytest.fixture
def client(monkeypatch):
    """Sets the options of this process."""

    def use(**given):
        for name, value in options(**given).items():
            monkeypatch.setenv(name, value)

    return use


def values(port, sent):
    """Returns what a variable at the server has after `sent` was added to it."""
    with tf.Graph().as_default(), tf.device("/job:ps/task:0"):
        added = tf.placeholder(tf.float32, sent.shape)
        v = tf.Variable(tf.zeros(sent.shape), use_resource=True)
        # The server's own description of the cluster has its own port.
        cluster = tf.train.ClusterSpec({"ps": [f"localhost:{port}"]}).as_cluster_def()
        with tf.Session(f"grpc://localhost:{port}", config=tf.ConfigProto(cluster_def=cluster)) as session:
            session.run(v.initializer)
            session.run(v.assign_add(added).op, {added: sent})
            return session.run(v)


class Between:
    """Somebody between a client and a server, who sees all bytes and may change one of the client's."""

    def __init__(self, port, changed=None):
        self.seen = [bytearray(), bytearray()]
        self._to, self._changed = port, changed
        self._sockets = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client = self._listener.accept()[0]
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._to))
            self._sockets += [client, server]
            for way, (one, other) in enumerate([(client, server), (server, client)]):
                threading.Thread(target=self._pass_on, args=(way, one, other), daemon=True).start()

    def _pass_on(self, way, one, other):
        with contextlib.suppress(OSError):
            while part := bytearray(one.recv(65536)):
                place = None if self._changed is None or way else self._changed - len(self.seen[0])
                if place is not None and 0 <= place < len(part):
                    part[place] ^= 1
                self.seen[way] += part
                other.sendall(part)
        for each in (one, other):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def close(self):
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for each in self._sockets:
            each.close()


SENT = np.arange(300_000, dtype=np.float32)
# Six fixed bytes of a frame's header and two for its kind: four alone appear by chance in one of a thousand tests.
HEADER = re.compile(rb"FFw1..\0\0", re.DOTALL)


@pytest.mark.parametrize("task", [None, "task"], ids=["token", "certificates"])
def test_what_is_sent_arrives_and_others_cannot_read_it(server, client, task):
    client(task=task)
    with contextlib.closing(Between(server(task=task))) as between:
        assert np.array_equal(values(between.port, SENT), SENT)
    clear = SENT[1000:1010].tobytes()
    for seen in between.seen:
        assert len(seen) > SENT.nbytes
        assert clear not in seen
        assert not HEADER.search(seen)
        assert b"assign" not in seen.lower()


def test_without_tls_others_can_read_it(server, client):
    """The test above can fail."""
    client(tls="never")
    with contextlib.closing(Between(server(tls="never"))) as between:
        assert np.array_equal(values(between.port, SENT), SENT)
    assert all(SENT[1000:1010].tobytes() in seen and HEADER.search(seen) for seen in between.seen)


@pytest.mark.parametrize("place", [600_000, 900_001])
def test_changed_bytes_are_an_error_and_not_a_wrong_value(server, client, place):
    client()
    with contextlib.closing(Between(server(), changed=place)) as between:
        began = time.monotonic()
        with pytest.raises((tf.errors.UnavailableError, tf.errors.AbortedError)):
            values(between.port, SENT)
        assert time.monotonic() - began < PROMPT


REFUSED = tf.errors.UnauthenticatedError
DIFFERS = tf.errors.FailedPreconditionError


@pytest.mark.parametrize(
    ("here", "there", "error", "told"),
    [
        ({}, {"token": "another token, of strangers"}, REFUSED, "does not have the token"),
        ({"tls": "never"}, {}, DIFFERS, "requires TLS"),
        ({}, {"tls": "never"}, DIFFERS, "does not use TLS"),
        ({"task": "task"}, {}, DIFFERS, "other options for TLS"),
        ({"task": "other_task", "authority": "other_authority"}, {"task": "task"}, REFUSED, "certificate"),
        ({"task": "other_task"}, {"task": "task"}, REFUSED, "refused this process's certificate"),
        ({"task": "expired"}, {"task": "task"}, REFUSED, "refused this process's certificate .*Expired"),
        ({"task": "task"}, {"task": "expired"}, REFUSED, "certificate is refused: certificate expired"),
        ({"task": "task"}, {"task": "elsewhere"}, REFUSED, "certificate is refused: .*not valid for name"),
        ({"task": "task"}, {"task": "task", "token": "another token, of strangers"}, REFUSED, "token"),
    ],
)
def test_sides_that_do_not_fit_get_an_error_at_once(server, client, here, there, error, told):
    port = server(**there)
    client(**here)
    began = time.monotonic()
    with pytest.raises(error, match=told):
        values(port, SENT[:10])
    assert time.monotonic() - began < PROMPT


def client_hello():
    """The first bytes of a TLS client of another program."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    stranger = context.wrap_bio(incoming, outgoing, server_hostname="localhost")
    with contextlib.suppress(ssl.SSLWantReadError):
        stranger.do_handshake()
    return outgoing.read()


@pytest.mark.parametrize("part", [1, 50, None], ids=["a byte", "half", "a whole one"])
def test_handshakes_of_strangers_that_do_not_end_keep_no_worker_out(server, client, part):
    client()
    port, begin = server(), client_hello()
    with contextlib.ExitStack() as stack:
        strangers = []
        for _ in range(100):
            stranger = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            with contextlib.suppress(ConnectionError):
                stranger.sendall(begin[:part])
            strangers.append(stranger)
        began = time.monotonic()
        assert np.array_equal(values(port, SENT[:10]), SENT[:10])
        assert time.monotonic() - began < PROMPT
        # All are cut.
        for stranger in strangers:
            stranger.settimeout(PROMPT)
            with contextlib.suppress(ConnectionError):
                while stranger.recv(65536):
                    pass


def test_noise_after_a_handshake_record_is_refused(server, client):
    client()
    port = server()
    for noise in (b"\x16\x03\x01\xff\xff" + bytes(70_000), b"\x16" + b"\xff" * 100, b"\x16\x03\x01\x00\x00" * 1000):
        stranger = socket.create_connection(("127.0.0.1", port), timeout=PROMPT)
        with stranger, contextlib.suppress(ConnectionError):
            stranger.sendall(noise)
            while stranger.recv(65536):
                pass
    assert np.array_equal(values(port, SENT[:10]), SENT[:10])


def test_loopback_needs_no_tls_and_other_addresses_have_it(server, client):
    """A server that others can reach accepts both from this machine, which a tunnel uses."""
    client(tls="auto")
    port = server(tls="auto")
    with contextlib.closing(Between(port)) as between:
        assert np.array_equal(values(between.port, SENT[:10]), SENT[:10])
    assert b"FFw1" in between.seen[0]
    client(tls="always")
    assert np.array_equal(values(port, SENT[:10]), SENT[:10])


@pytest.mark.parametrize(
    ("variable", "value", "told"),
    [
        ("FERROFLOW_CLUSTER_TLS", "yes", "must be auto, always or never"),
        ("FERROFLOW_CLUSTER_TLS_KEY", "key.pem", "FERROFLOW_CLUSTER_TLS_CERTIFICATE"),
        ("FERROFLOW_CLUSTER_TOKEN", "", "TLS needs FERROFLOW_CLUSTER_TOKEN"),
    ],
)
def test_wrong_options_are_named(client, monkeypatch, variable, value, told):
    client()
    monkeypatch.setenv(variable, value)
    with pytest.raises(tf.errors.FailedPreconditionError, match=told):
        tf.train.Server({"local": ["127.0.0.1:0"]})


def test_a_file_that_cannot_be_read_is_named(client, monkeypatch):
    client(task="absent")
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"FERROFLOW_CLUSTER_TLS_.*absent"):
        tf.train.Server({"local": ["127.0.0.1:0"]})
