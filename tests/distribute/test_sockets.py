"""Groups of processes that sockets connect: the values of MPI's groups, and errors instead of hangs."""

import contextlib
import hashlib
import hmac
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import ferroflow as tf
import ferroflow.horovod.tensorflow as hvd
from ferroflow._src.horovod import rendezvous
from ferroflow._src.horovod.rendezvous import connect_group
from ferroflow._src.horovod.socket_transport import SocketTransport
from ferroflow.command_line.launching.tasks import free_ports

MPI = Path(__file__).parents[1] / "mpi"
ROOT = str(Path(tf.__file__).parents[1])


def addresses_of(count):
    return [f"127.0.0.1:{port}" for port in free_ports(count, "127.0.0.1")]


@pytest.fixture
def group(tmp_path):
    """Runs a program of tests/mpi as a group over sockets; returns the reports, by rank."""

    def group(program, ranks, *arguments, **environment):
        addresses = addresses_of(ranks)
        env = {**os.environ, "PYTHONPATH": ROOT, "REPORTS": str(tmp_path), **environment}
        command = [sys.executable, "-m", "ferroflow", "run", str(MPI / program), *arguments]
        processes = []
        for rank in range(ranks):
            described = json.dumps({"addresses": addresses, "rank": rank})
            processes.append(
                subprocess.Popen(
                    command,
                    env={**env, "FERROFLOW_GROUP": described},
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                )
            )
        for process in processes:
            printed, _ = process.communicate(timeout=400)
            assert process.returncode == 0, printed
        return [json.loads((tmp_path / f"rank-{rank}.json").read_text()) for rank in range(ranks)]

    return group


TOKEN = {"FERROFLOW_CLUSTER_TOKEN": "a token of the right ranks"}
TLS = {**TOKEN, "FERROFLOW_CLUSTER_TLS": "always"}


def files_of(task, authority):
    folder = Path(__file__).parents[1] / "cluster" / "certificates"
    names = {"CERTIFICATE": f"{task}.pem", "KEY": f"{task}.key", "AUTHORITY": f"{authority}.pem"}
    return {f"FERROFLOW_CLUSTER_TLS_{name}": str(folder / file) for name, file in names.items()}


@pytest.mark.parametrize(("ranks", "environment"), [(2, {}), (4, {}), (2, TLS), (4, TLS)], ids=str)
def test_every_function_gives_numpys_values_on_every_rank(group, ranks, environment):
    for rank, found in enumerate(group("functions_program.py", ranks, **environment)):
        assert not found["wrong"]
        assert found["numbers"] == [rank, rank, ranks, 0, 1]
        assert found["threads"] is False
        assert found["enabled"] == [False, True, False, False, True]


def test_small_pieces_give_the_same_values(group):
    found = group("functions_program.py", 2, FERROFLOW_MPI_PIECE_BYTES="1000", HOROVOD_FUSION_THRESHOLD="500")
    assert all(not report["wrong"] for report in found)


def connected(addresses, wait=20.0, ranks=None):
    """Returns what `connect_group` returns for each rank, or its error."""
    outcomes = {}

    def connect(rank):
        try:
            outcomes[rank] = connect_group(addresses, rank, wait)
        except Exception as error:
            outcomes[rank] = error

    threads = [threading.Thread(target=connect, args=(rank,)) for rank in ranks or range(len(addresses))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return outcomes


@pytest.fixture(params=["plain", "TLS"])
def transports(request, monkeypatch):
    made = []
    for name, value in (TLS if request.param == "TLS" else {}).items():
        monkeypatch.setenv(name, value)

    def make(size, lost_after=20.0):
        found = connected(addresses_of(size))
        members = [SocketTransport(rank, found[rank], lost_after) for rank in range(size)]
        made.extend(members)
        return members

    yield make
    for member in made:
        member.close()


def together(*calls):
    """Runs calls at the same time; returns their results, or errors."""
    results = [None] * len(calls)

    def run(i):
        try:
            results[i] = calls[i]()
        except Exception as error:
            results[i] = error

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    return results


def polled(transport):
    while (found := transport.poll()) is None:
        pass
    return found


def test_messages_arrive_in_order_beside_data_of_any_size(transports):
    size, length = 3, 3_000_001
    members = transports(size)
    data = [bytearray([rank + 1]) * length for rank in range(size)]
    parts = [length // 2, 0, length - length // 2]

    def run(rank):
        member = members[rank]
        if rank == 2:
            for i in range(50):
                member.send(0, b"x" * i * 1000)
        member.broadcast(memoryview(data[rank]), 1)
        if rank == 2:
            member.send(0, b"last")
        gathered = bytearray(length)
        start = sum(parts[:rank])
        gathered[start : start + parts[rank]] = bytes([rank + 7]) * parts[rank]
        member.gather(memoryview(gathered), parts)
        received = bytearray(parts[rank] * (size - 1))
        member.exchange(memoryview(data[rank]), parts, memoryview(received))
        messages = [polled(member) for _ in range(51)] if rank == 0 else []
        return bytes(gathered), bytes(received), messages, member.is_flushed()

    for rank, (gathered, received, messages, flushed) in enumerate(
        together(*(lambda r=r: run(r) for r in range(size)))
    ):
        assert data[rank] == bytes([2]) * length
        assert gathered == bytes([7]) * parts[0] + bytes([9]) * parts[2]
        assert received == bytes([2]) * parts[rank] * 2
        assert flushed
        if rank == 0:
            assert messages == [(2, b"x" * i * 1000) for i in range(50)] + [(2, b"last")]


def test_two_ranks_that_send_many_messages_at_once_do_not_block_each_other(transports):
    first, second = transports(2)
    message = bytes(1 << 16)

    def flood(member, other):
        for _ in range(400):
            member.send(other, message)
        return [len(polled(member)[1]) for _ in range(400)]

    assert together(lambda: flood(first, 1), lambda: flood(second, 0)) == [[1 << 16] * 400] * 2


def test_a_rank_that_is_gone_ends_an_exchange_with_an_error(transports):
    first, second, third = transports(3)
    third.close()
    data = bytearray(30)

    def run(member):
        member.gather(memoryview(data), [10, 10, 10])

    failures = together(lambda: run(first), lambda: run(second))
    assert all(isinstance(f, ConnectionError) and "has ended" in str(f) for f in failures), failures
    with pytest.raises(ConnectionError):
        polled(first)


def test_an_exchange_without_progress_ends_with_an_error(transports):
    first, _second = transports(2, lost_after=0.5)
    with pytest.raises(TimeoutError, match=r"no byte went to or came from rank 1 for 0.5 s"):
        first.gather(memoryview(bytearray(8)), [4, 4])


def test_ranks_with_different_addresses_or_tokens_do_not_connect(monkeypatch):
    addresses = addresses_of(2)
    other = [*addresses[:1], "127.0.0.1:1"]
    outcomes = {}

    def connect(rank, given):
        try:
            outcomes[rank] = connect_group(given, rank, 3.0)
        except RuntimeError as error:
            outcomes[rank] = str(error)

    together(lambda: connect(0, addresses), lambda: connect(1, other))
    assert "their FERROFLOW_CLUSTER_TOKEN or their lists of addresses differ" in outcomes[1]
    assert "have not connected in time: rank 1" in outcomes[0]


def test_a_stranger_learns_nothing_and_cannot_take_a_ranks_place(monkeypatch):
    monkeypatch.setenv("FERROFLOW_CLUSTER_TOKEN", "a secret of the right ranks")
    addresses = addresses_of(2)
    outcomes = {}
    waiting = threading.Thread(target=lambda: outcomes.update(connected(addresses, ranks=[0])))
    waiting.start()
    stranger = None
    while stranger is None:
        try:
            stranger = socket.create_connection(rendezvous.split_address(addresses[0]), timeout=10)
        except ConnectionRefusedError:
            continue
    nonce = bytes(32)
    stranger.sendall(b"ferroflow-group-1\n" + nonce)
    answer = b""
    while len(answer) < 64:
        answer += stranger.recv(64 - len(answer))
    hello = (1).to_bytes(4, "little") + hashlib.sha256("\n".join(addresses).encode()).digest()
    proof = hmac.new(b"another secret of mine", b"caller" + nonce + answer[:32] + hello, hashlib.sha256).digest()
    stranger.sendall(hello + proof)
    assert stranger.recv(1) == b"\x01"
    assert stranger.recv(1) == b""
    # Silence, and bytes of another protocol, do not keep the right rank out.
    with contextlib.ExitStack() as stack:
        address = rendezvous.split_address(addresses[0])
        silent = [stack.enter_context(socket.create_connection(address)) for _ in range(5)]
        silent[0].sendall(b"GET / HTTP/1.1\r\n\r\n" + bytes(64))
        stack.callback(stranger.close)
        found = connected(addresses, ranks=[1])
        waiting.join(60)
        for connections in (outcomes[0], found[1]):
            [connection] = connections.values()
            stack.enter_context(connection)


def test_addresses_of_other_machines_need_a_token(monkeypatch):
    monkeypatch.delenv("FERROFLOW_CLUSTER_TOKEN", raising=False)
    with pytest.raises(ValueError, match=r"10\.0\.0\.1:5 is not an address of loopback: set FERROFLOW_CLUSTER_TOKEN"):
        connect_group(["127.0.0.1:4", "10.0.0.1:5"], 0, 1.0)
    monkeypatch.setenv("FERROFLOW_CLUSTER_TOKEN", "short")
    with pytest.raises(ValueError, match="at least 16 characters, found 5"):
        connect_group(["127.0.0.1:4", "127.0.0.1:5"], 0, 1.0)
    with pytest.raises(ValueError, match="an address must be host:port, found 'here'"):
        rendezvous.split_address("here")


@pytest.mark.parametrize("described", ["nonsense", "[]", '{"addresses": ["127.0.0.1:1"], "rank": 3}'])
def test_a_wrong_description_of_a_group_is_refused(monkeypatch, described):
    monkeypatch.setenv("FERROFLOW_GROUP", described)
    with pytest.raises(ValueError, match="FERROFLOW_GROUP"):
        hvd.init()


@contextlib.contextmanager
def as_rank(rank, addresses, environment):
    """A process that connects as one rank, has the environment, and prints its outcome."""
    program = (
        "import sys\n"
        "from ferroflow._src.horovod.rendezvous import connect_group\n"
        "try:\n    print('connected', len(connect_group(sys.argv[2:], int(sys.argv[1]), 60.0)))\n"
        "except Exception as error:\n    print(type(error).__name__, error)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(rank), *addresses],
        env={**os.environ, "PYTHONPATH": ROOT, **environment},
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        yield process
        process.kill()


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        (TLS, {**TLS, "FERROFLOW_CLUSTER_TOKEN": "another token, of strangers"}, "token|TOKEN"),
        (TLS, TOKEN, "one of them uses TLS"),
        (TOKEN, TLS, "does not use TLS"),
        ({**TLS, **files_of("task", "authority")}, {**TLS, **files_of("expired", "authority")}, "Expired"),
        ({**TLS, **files_of("expired", "authority")}, {**TLS, **files_of("task", "authority")}, "certificate expired"),
        ({**TLS, **files_of("elsewhere", "authority")}, {**TLS, **files_of("task", "authority")}, "not valid for name"),
        ({**TLS, **files_of("task", "authority")}, {**TLS, **files_of("other_task", "authority")}, "certificate"),
    ],
)
def test_ranks_whose_keys_differ_get_an_error_at_once(first, second, told):
    addresses = addresses_of(2)
    with as_rank(0, addresses, first) as waiting, as_rank(1, addresses, second) as refused:
        outcome = refused.communicate(timeout=50)[0]
        assert outcome.startswith("RuntimeError"), outcome
        assert re.search(told, outcome), outcome
        assert waiting.poll() is None


def test_ranks_with_certificates_connect():
    addresses, environment = addresses_of(2), {**TLS, **files_of("task", "authority")}
    with as_rank(0, addresses, environment) as first, as_rank(1, addresses, environment) as second:
        assert [rank.communicate(timeout=80)[0] for rank in (first, second)] == ["connected 1\n"] * 2


@pytest.mark.parametrize("environment", [TOKEN, TLS], ids=["plain", "TLS"])
@pytest.mark.parametrize("says", [b"", b"\x16\x03\x01", b"ferroflow-group-1\n"], ids=["nothing", "TLS", "the greeting"])
def test_strangers_who_come_back_for_ever_keep_no_rank_out(monkeypatch, environment, says):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    addresses = addresses_of(2)
    host = rendezvous.split_address(addresses[0])
    outcomes, stop, held = {}, threading.Event(), []

    def crowd():
        """Three hundred connections, each of which is made again when it is cut."""
        while not stop.is_set():
            for stranger in list(held):
                with contextlib.suppress(BlockingIOError, OSError):
                    if stranger.recv(100):
                        continue
                    stranger.close()
                    held.remove(stranger)
            while len(held) < 300 and not stop.is_set():
                try:
                    stranger = socket.create_connection(host, timeout=0.2)
                    stranger.sendall(says)
                    stranger.setblocking(False)
                    held.append(stranger)
                except OSError:
                    stop.wait(0.02)

    waiting = threading.Thread(target=lambda: outcomes.update(connected(addresses, ranks=[0], wait=60.0)))
    strangers = threading.Thread(target=crowd)
    waiting.start()
    strangers.start()
    try:
        deadline = time.monotonic() + 30
        while len(held) < 100 and time.monotonic() < deadline:
            stop.wait(0.02)
        assert len(held) >= 100
        began = time.monotonic()
        outcomes.update(connected(addresses, ranks=[1], wait=60.0))
        waiting.join(60)
        assert time.monotonic() - began < 20
        for rank in range(2):
            [connection] = outcomes[rank].values()
            connection.close()
    finally:
        stop.set()
        strangers.join(60)
        for stranger in held:
            stranger.close()


def test_a_stranger_that_sends_a_byte_now_and_then_is_cut(monkeypatch):
    for name, value in TOKEN.items():
        monkeypatch.setenv(name, value)
    addresses, outcomes = addresses_of(2), {}
    waiting = threading.Thread(target=lambda: outcomes.update(connected(addresses, ranks=[0], wait=15.0)))
    waiting.start()
    stranger = None
    while stranger is None:
        with contextlib.suppress(ConnectionRefusedError):
            stranger = socket.create_connection(rendezvous.split_address(addresses[0]), timeout=1)
    began = time.monotonic()
    with stranger:
        for byte in b"ferroflow-group-1\n" * 10:
            try:
                stranger.sendall(bytes([byte]))
                if not stranger.recv(1):
                    break
            except TimeoutError:
                continue
            except ConnectionError:
                break
        assert time.monotonic() - began < 12
    waiting.join(60)
