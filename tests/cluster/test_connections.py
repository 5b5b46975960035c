"""What connections cost a task, and who may have them: descriptors, strangers, addresses, silence."""

import os
import resource
import select
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from cluster.machines import held_by
from cluster.task_processes import Task, TaskProcesses, hang

import ferroflow as tf
from ferroflow.command_line.launching.tasks import free_ports

PROGRAM = Path(__file__).with_name("waiting_program.py")
LIMITED = Path(__file__).with_name("limited_program.py")
PS, WORKER = ("ps", 0), ("worker", 0)
PATIENCE = 60.0


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def on(job):
    return tf.device(f"/job:{job}/task:0")


def wait_until(condition, seconds=PATIENCE, told=lambda: "the condition did not come true"):
    pause = threading.Event()
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, told()
        pause.wait(0.02)


class Limited:
    """A parameter server that may have few descriptors: `soft` of them, which it may raise to `hard`."""

    def __init__(self, soft, hard, **environment):
        port = free_ports(1, "127.0.0.1")[0]
        self.address = ("127.0.0.1", port)
        self.target = f"grpc://127.0.0.1:{port}"
        arguments = [f'{{"ps": ["127.0.0.1:{port}"]}}', str(soft), str(hard)]
        self.task = Task(LIMITED, arguments, **environment)

    def __enter__(self):
        wait_until(lambda: self.task.reports, told=lambda: "".join(self.task.other))
        return self

    def __exit__(self, *exc):
        self.task.kill()

    def held(self):
        return held_by(self.task.process.pid)


def test_a_thousand_sessions_have_a_descriptor_each_at_one_server():
    count = 1000
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < count + 200:
        pytest.skip(f"this process may have {hard} descriptors, which are too few")
    with on("ps"):
        total = tf.get_variable("total", [], initializer=tf.zeros_initializer())
        add = total.assign_add(1.0).op
        queue = tf.FIFOQueue(count, tf.float32, shapes=[[]], shared_name="queue")
        size, take, put = queue.size(), queue.dequeue(), queue.enqueue_many([[0.0] * 3])
    began = time.monotonic()
    try:
        # It raises its limit itself.
        with Limited(256, max(2 * count + 200, 4096)) as server:
            before = server.held()
            sessions = [tf.Session(server.target) for _ in range(count)]
            sessions[0].run(total.initializer)
            for session in sessions:
                session.run(add)
            assert sessions[-1].run(total) == count
            sockets, others, _ = server.held()
            assert sockets == before[0] + count
            assert others - before[1] <= 20
            # One that waits in a queue has a second one while it does.
            waiting = [threading.Thread(target=session.run, args=[take], daemon=True) for session in sessions[:3]]
            for thread in waiting:
                thread.start()
            wait_until(lambda: server.held()[1] >= others + 3)
            sessions[3].run(size)
            assert server.held()[0] == before[0] + count
            sessions[3].run(put)
            for thread in waiting:
                thread.join(PATIENCE)
            for session in sessions:
                session.close()
            wait_until(lambda: server.held()[0] == before[0], told=lambda: str((before, server.held())))
            wait_until(lambda: server.held()[2] <= before[2] + 2, told=lambda: str((before, server.held())))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert time.monotonic() - began < 2 * PATIENCE


def test_a_connection_that_finds_no_descriptor_is_reported_and_accepted_later():
    with on("ps"):
        one = tf.identity(tf.random_uniform([], 1.0, 1.0)) + 1.0
    with Limited(100, 100) as server:
        ended = []
        reported = threading.Event()

        def work():
            with tf.Session(server.target, graph=one.graph) as session:
                ended.append(session.run(one))
                reported.wait(PATIENCE)

        threads = [threading.Thread(target=work, daemon=True) for _ in range(100)]
        for thread in threads:
            thread.start()
        wait_until(lambda: any("Too many open files" in line for line in server.task.other))
        assert len(ended) < 100
        told = [line for line in server.task.other if "Too many open files" in line]
        assert "/job:ps/task:0" in told[0]
        assert "(ulimit -n: 100)" in told[0]
        # Those that have ended make room for the others.
        reported.set()
        for thread in threads:
            thread.join(PATIENCE)
        assert len(ended) == 100


@pytest.mark.parametrize("says", [b"", b"FFw2", b"\0" * 10], ids=["nothing", "a little", "noise"])
def test_strangers_who_come_back_for_ever_keep_no_worker_out(says):
    with on("ps"):
        one = tf.random_uniform([], 1.0, 1.0) + 1.0
    stop = threading.Event()
    with Limited(512, 512) as server:

        def crowd():
            """254 connections, each of which is made again as soon as it is cut."""
            poll = select.epoll()
            held = {}

            def come():
                stranger = socket.socket()
                stranger.setblocking(False)
                stranger.connect_ex(server.address)
                held[stranger.fileno()] = stranger
                poll.register(stranger, select.EPOLLOUT | select.EPOLLET)

            for _ in range(254):
                come()
            while not stop.is_set():
                for number, events in poll.poll(0.05):
                    stranger = held[number]
                    try:
                        if events & select.EPOLLOUT:
                            stranger.send(says)
                            poll.modify(stranger, select.EPOLLIN | select.EPOLLRDHUP)
                            continue
                    except OSError:
                        pass
                    poll.unregister(stranger)
                    held.pop(number).close()
                    come()
            for stranger in held.values():
                stranger.close()

        strangers = threading.Thread(target=crowd, daemon=True)
        strangers.start()
        try:
            wait_until(lambda: server.held()[0] > 60)
            slowest = 0.0
            for _ in range(5):
                began = time.monotonic()
                with tf.Session(server.target) as session:
                    assert session.run(one) == 2.0
                slowest = max(slowest, time.monotonic() - began)
            assert slowest < 10.0
            # They are limited: an eighth of what there is.
            assert server.held()[0] <= 512 // 8 + 16
        finally:
            stop.set()
            strangers.join(PATIENCE)
        wait_until(lambda: server.held()[0] <= 4, 10)


def test_a_stranger_is_cut_after_two_seconds_however_much_it_says():
    with Limited(512, 512) as server, socket.create_connection(server.address) as slow:
        began = time.monotonic()
        slow.settimeout(0.1)
        header = b"FFw1\x01\x00\x00\x00\xff\x0f\x00\x00" + b"\0" * 12
        cut = False
        for byte in header * 100:
            try:
                slow.send(bytes([byte]))
                cut = slow.recv(1) == b""
            except TimeoutError:
                continue
            except ConnectionError:
                cut = True
            if cut:
                break
        assert cut
        assert 1.5 < time.monotonic() - began < 6.0


def test_a_busy_server_is_not_lost(tmp_path, monkeypatch):
    """It computes for longer than a silent one is waited for, and says nothing of its step meanwhile."""
    monkeypatch.setenv("FERROFLOW_CLUSTER_LOST_AFTER", "1")
    with on("ps"):
        big = tf.random_uniform([2, 1200, 1200])
        product = big
        for _ in range(12):
            product = tf.matmul(product, big) / 300.0
        busy = tf.reduce_sum(product)
    with on("worker"):
        result = busy * 0.0 + 1.0
    with TaskProcesses(PROGRAM, tmp_path, WORKER, ps=1, worker=1) as tasks:
        target = tf.train.Server(tasks.cluster, *WORKER).target
        with tf.Session(target) as session:
            for _ in range(3):
                assert session.run(result) == 1.0


@pytest.mark.parametrize("waits", ["for a value", "in a queue"])
def test_a_server_that_is_silent_is_unavailable(tmp_path, monkeypatch, waits):
    monkeypatch.setenv("FERROFLOW_CLUSTER_LOST_AFTER", "1")
    with on("ps"):
        v = tf.Variable(1.0)
        fetched = v + 1.0 if waits == "for a value" else tf.FIFOQueue(1, tf.float32).dequeue()
    with TaskProcesses(PROGRAM, tmp_path, WORKER, ps=1, worker=1) as tasks:
        session = tf.Session(tf.train.Server(tasks.cluster, *WORKER).target)
        session.run(v.initializer)
        hang(tasks.task(*PS).process)
        began = time.monotonic()
        with pytest.raises(tf.errors.UnavailableError, match=r"Nothing was heard .*/job:ps/replica:0/task:0"):
            session.run(fetched)
        assert time.monotonic() - began < 10
        session.close()


def test_the_time_of_silence_must_be_a_number(monkeypatch):
    monkeypatch.setenv("FERROFLOW_CLUSTER_LOST_AFTER", "soon")
    with pytest.raises(tf.errors.FailedPreconditionError, match="FERROFLOW_CLUSTER_LOST_AFTER"):
        tf.train.Server({"local": ["127.0.0.1:0"]})


def listening(target):
    """The addresses at which this process listens at the port of a target."""
    port = int(target.rsplit(":", 1)[1])
    found = set()
    for family in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{family}").read_text(encoding="ascii").splitlines()[1:]:
            _, local, _, state, *_ = line.split()
            address, number = local.split(":")
            if state == "0A" and int(number, 16) == port:
                found.add(address)
    return found


ANYWHERE = {"0" * 8, "0" * 32}
LOOPBACK = {"0100007F"}


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_task_listens_where_others_can_reach_it_and_a_token_protects_it(monkeypatch):
    monkeypatch.setenv("FERROFLOW_CLUSTER_TOKEN", "long enough to be one")
    monkeypatch.delenv("FERROFLOW_CLUSTER_BIND", raising=False)
    name = socket.gethostname()
    assert listening(tf.train.Server({"local": [f"{name}:0"]}).target) <= ANYWHERE
    # A name that only exists elsewhere, such as that of a gateway.
    assert listening(tf.train.Server({"local": ["192.0.2.1:0"]}).target) <= ANYWHERE
    assert listening(tf.train.Server({"local": ["127.0.0.1:0"]}).target) == LOOPBACK
    monkeypatch.setenv("FERROFLOW_CLUSTER_BIND", "127.0.0.1")
    assert listening(tf.train.Server({"local": [f"{name}:0"]}).target) == LOOPBACK
    monkeypatch.setenv("FERROFLOW_CLUSTER_BIND", "0.0.0.0")
    assert listening(tf.train.Server({"local": ["127.0.0.1:0"]}).target) == {"0" * 8}
    monkeypatch.delenv("FERROFLOW_CLUSTER_TOKEN")
    with pytest.raises(tf.errors.FailedPreconditionError, match="FERROFLOW_CLUSTER_TOKEN"):
        tf.train.Server({"local": ["127.0.0.1:0"]})


def test_a_child_keeps_no_connection_of_a_process_that_is_gone(tmp_path):
    """A forked child has the descriptors of its parent: without signs of life its parent would seem to be there."""
    program = (
        "import os, sys, ferroflow as tf\n"
        "with tf.device('/job:ps/task:0'):\n    v = tf.Variable(1.0)\n"
        "session = tf.Session(sys.argv[1])\nsession.run(v.initializer)\n"
        "child = os.fork()\n"
        "if child == 0:\n    import time; os.close(1); time.sleep(60)\n    os._exit(0)\n"
        "print(child, flush=True)\nos.kill(os.getpid(), 9)\n"
    )
    with Limited(512, 512, FERROFLOW_CLUSTER_LOST_AFTER="1") as server:
        before = server.held()[0]
        path = os.pathsep.join([str(Path(tf.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
        done = subprocess.run(
            [sys.executable, "-c", program, server.target],
            env={**os.environ, "PYTHONPATH": path},
            stdout=subprocess.PIPE,
            timeout=PATIENCE,
            check=False,
        )
        child = int(done.stdout)
        try:
            wait_until(lambda: server.held()[0] == before, 10)
        finally:
            os.kill(child, 9)
