"""Connections between processes whose addresses are given, for groups without MPI."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import queue
import secrets
import socket
import struct
import threading
import time
from collections.abc import Sequence
from typing import Final, NamedTuple

from ferroflow import _core
from ferroflow._src.base import tf_logging
from ferroflow._src.base.engine_errors import engine_errors
from ferroflow._src.horovod.connections import Connection, PlainSocket

_MAGIC: Final = b"ferroflow-group-1\n"
_NONCE: Final = 32
_PROOF: Final = hashlib.sha256().digest_size
_HELLO: Final = struct.Struct(f"<I{_PROOF}s")
_ACCEPTED: Final = b"\x00"
_REFUSED: Final = b"\x01"
# The answer to a connection that uses TLS in a group without it, or the reverse.
_OTHER_TLS: Final = b"TLS differs\n".ljust(_NONCE + _PROOF)
_TLS_HANDSHAKE: Final = b"\x16"
# Seconds that the other side of a connection has to prove that it has the token.
_PROOF_SECONDS: Final = 5.0
# Connections that may be unproved at the same time. Beyond that the oldest is closed, after a least time.
_MOST_UNPROVED: Final = 64
_LEAST_STAY: Final = 0.25
# Seconds for which a refused connection stays open, so that the reason arrives.
_FAREWELL: Final = 1.0
_SHORTEST_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 1.0
_FIRST_REPORT: Final = 4.0
_REPORTS: Final = 10.0
_LOOPBACK: Final = frozenset(("localhost", "::1"))

TOKEN: Final = "FERROFLOW_CLUSTER_TOKEN"
_BIND: Final = "FERROFLOW_CLUSTER_BIND"
_LEAST_TOKEN: Final = 16


class _Group(NamedTuple):
    """The addresses and keys that all connections of a group share.

    Args:
        addresses: list of str, the address of each rank.
        key: bytes, the token.
        digest: bytes, the hash of the addresses.
        tls: the keys of TLS; None for a group without it.
    """

    addresses: Sequence[str]
    key: bytes
    digest: bytes
    tls: _core.TlsGroup | None

    @classmethod
    def at(cls, addresses: Sequence[str]) -> _Group:
        key = _key(addresses)
        with engine_errors():
            tls = _core.TlsGroup.of_environment(list(addresses))
        return cls(addresses, key, hashlib.sha256("\n".join(addresses).encode()).digest(), tls)


class _RefusedError(Exception):
    """The other side is no rank of this group."""


def split_address(address: str) -> tuple[str, int]:
    """Returns the host and the port of an address.

    Args:
        address: str, "host:port"; an IPv6 host is in brackets.

    Raises:
        ValueError: if it has another form.
    """
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise ValueError(f"an address must be host:port, found {address!r}")
    return host.removeprefix("[").removesuffix("]"), int(port)


def _is_loopback(host: str) -> bool:
    return host in _LOOPBACK or host.startswith("127.")


def _key(addresses: Sequence[str]) -> bytes:
    token = os.environ.get(TOKEN, "")
    if token and len(token) < _LEAST_TOKEN:
        raise ValueError(f"{TOKEN} must have at least {_LEAST_TOKEN} characters, found {len(token)}")
    others = [address for address in addresses if not _is_loopback(split_address(address)[0])]
    if others and not token:
        raise ValueError(
            f"{others[0]} is not an address of loopback: set {TOKEN} to the same random text for all processes, or "
            "start them by `ferroflow launch`, which does so."
        )
    return token.encode()


def _proof(key: bytes, side: bytes, *parts: bytes) -> bytes:
    return hmac.new(key, side + b"".join(parts), hashlib.sha256).digest()


def _received(connection: Connection, size: int, deadline: float) -> bytes:
    """Returns bytes of a connection.

    Raises:
        OSError: if the connection ends before, or the time is over.
    """
    parts = b""
    while len(parts) < size:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("it has not proved in time that it belongs to the group")
        connection.settimeout(left)
        part = connection.recv(size - len(parts))
        if not part:
            raise ConnectionResetError("the connection was closed")
        parts += part
    return parts


def _say_farewell(connection: socket.socket) -> None:
    """Waits until the other side has read why it is refused: the system drops that if unread bytes are left."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_WR)
        deadline = time.monotonic() + _FAREWELL
        while (left := deadline - time.monotonic()) > 0:
            connection.settimeout(left)
            if not connection.recv(4096):
                return


def connect_group(addresses: Sequence[str], rank: int, wait: float) -> dict[int, Connection]:
    """Connects this process to all others of its group.

    Each rank listens at its address and connects to the ranks before it. Both sides prove that they have the token
    (FERROFLOW_CLUSTER_TOKEN) before they exchange anything else. If an address is not loopback, all connections use TLS
    (FERROFLOW_CLUSTER_TLS).

    Args:
        addresses: list of str, the address of each rank.
        rank: int, this process's rank.
        wait: float, seconds to wait for the other ranks.

    Returns:
        dict from the other ranks to connected sockets that do not block.

    Raises:
        ValueError: if an address is wrong, or there is no token although not all addresses are loopback.
        RuntimeError: if a rank cannot be reached in time, or its token, addresses or options of TLS differ.
        FailedPreconditionError: if the options of TLS are wrong, or its files cannot be used.
        OSError: if this process cannot listen at its address.
    """
    group = _Group.at(addresses)
    deadline = time.monotonic() + wait
    with contextlib.ExitStack() as stack:
        arrivals: queue.Queue[tuple[int, Connection]] = queue.Queue()
        if rank < len(addresses) - 1:
            stack.enter_context(_Listener(group, rank, arrivals))
        found: dict[int, Connection] = {}
        try:
            for other in range(rank):
                found[other] = _connected(group, rank, other, deadline)
            _collect(found, arrivals, addresses, rank, deadline)
        except BaseException:
            for connection in found.values():
                connection.close()
            raise
    for connection in found.values():
        connection.settimeout(0.0)
    return found


def _prepare(connection: socket.socket) -> None:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)


def _collect(
    found: dict[int, Connection],
    arrivals: queue.Queue[tuple[int, Connection]],
    addresses: Sequence[str],
    rank: int,
    deadline: float,
) -> None:
    """Waits for the connections of the ranks after this one."""
    report = time.monotonic() + _FIRST_REPORT
    while len(found) < len(addresses) - 1:
        missing = [f"rank {r} ({a})" for r, a in enumerate(addresses) if r != rank and r not in found]
        now = time.monotonic()
        if now >= deadline:
            raise RuntimeError(f"these processes have not connected in time: {', '.join(missing)}")
        if now >= report:
            tf_logging.info("Rank %d waits for %s", rank, ", ".join(missing))
            report = now + _REPORTS
        with contextlib.suppress(queue.Empty):
            other, connection = arrivals.get(timeout=min(deadline, report) - now)
            # A rank connects again if it did not get the last answer.
            before = found.pop(other, None)
            if before is not None:
                before.close()
            found[other] = connection


def _connected(group: _Group, rank: int, other: int, deadline: float) -> Connection:
    """Returns a connection to a rank before this one."""
    address = group.addresses[other]
    pause, report = _SHORTEST_PAUSE, time.monotonic() + _FIRST_REPORT
    while True:
        try:
            connection = _opened(group, address)
            try:
                _introduce(connection, rank, group)
            except BaseException:
                connection.close()
                raise
            return connection
        except (_RefusedError, PermissionError) as failure:
            raise RuntimeError(f"rank {other} at {address} and rank {rank} cannot be connected: {failure}") from None
        except OSError as failure:
            now = time.monotonic()
            if now >= deadline:
                raise RuntimeError(f"rank {other} at {address} cannot be reached: {failure}") from None
            if now >= report:
                tf_logging.info("Rank %d waits for rank %d at %s: %s", rank, other, address, failure)
                report = now + _REPORTS
            time.sleep(min(pause, deadline - now))
            pause = min(2 * pause, _LONGEST_PAUSE)


def _opened(group: _Group, address: str) -> Connection:
    connection = socket.create_connection(split_address(address), timeout=_PROOF_SECONDS)
    try:
        _prepare(connection)
        if group.tls is None:
            return PlainSocket(fileno=connection.detach())
        with engine_errors():
            return group.tls.connect(connection.detach(), address)
    except BaseException:
        connection.close()
        raise


def _introduce(connection: Connection, rank: int, group: _Group) -> None:
    deadline = time.monotonic() + _PROOF_SECONDS
    own = secrets.token_bytes(_NONCE)
    connection.settimeout(_PROOF_SECONDS)
    connection.send(_MAGIC + own)
    answer = _received(connection, _NONCE + _PROOF, deadline)
    if answer == _OTHER_TLS:
        raise _RefusedError("one of them uses TLS (FERROFLOW_CLUSTER_TLS) and the other does not")
    theirs, binding = answer[:_NONCE], connection.binding()
    if not hmac.compare_digest(answer[_NONCE:], _proof(group.key, b"listener", own, theirs, binding)):
        raise _RefusedError(f"their {TOKEN} differs")
    hello = _HELLO.pack(rank, group.digest)
    connection.send(hello + _proof(group.key, b"caller", own, theirs, hello, binding))
    if _received(connection, 1, deadline) != _ACCEPTED:
        raise _RefusedError(f"their {TOKEN} or their lists of addresses differ")


class _Listener:
    """Listens at this rank's address while a group is made."""

    def __init__(self, group: _Group, rank: int, arrivals: queue.Queue[tuple[int, Connection]]) -> None:
        self._expected = range(rank + 1, len(group.addresses))
        self._group, self._arrivals = group, arrivals
        self._lock = threading.Lock()
        self._is_closed = False
        # Connections that have not proved anything yet, and the times when they came: the oldest first.
        self._unproved: dict[socket.socket, float] = {}
        host, port = split_address(group.addresses[rank])
        bound = host if _is_loopback(host) else os.environ.get(_BIND, "")
        family = socket.AF_INET6 if ":" in (bound or host) else socket.AF_INET
        self._socket = socket.create_server((bound, port), family=family, backlog=max(64, len(group.addresses)))

    def __enter__(self) -> _Listener:
        threading.Thread(target=self._listen, name="ferroflow-rendezvous", daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        with self._lock:
            self._is_closed = True
            for connection in self._unproved:
                _end(connection)
        # A thread that waits in accept() returns only after this.
        _end(self._socket)
        self._socket.close()
        while True:
            try:
                self._arrivals.get_nowait()[1].close()
            except queue.Empty:
                return

    def _listen(self) -> None:
        while True:
            self._make_room()
            try:
                connection, _ = self._socket.accept()
            except OSError:
                if self._is_closed:
                    return
                # There may be no descriptor left for the moment.
                time.sleep(_SHORTEST_PAUSE)
                continue
            with self._lock:
                self._unproved[connection] = time.monotonic()
            threading.Thread(target=self._examine, args=(connection,), daemon=True).start()

    def _make_room(self) -> None:
        """Ends the oldest unproved connection if there are too many: a rank needs two round trips for its proof."""
        while True:
            with self._lock:
                if self._is_closed or len(self._unproved) < _MOST_UNPROVED:
                    return
                oldest, since = next(iter(self._unproved.items()))
                stay = since + _LEAST_STAY - time.monotonic()
                if stay <= 0:
                    # Its thread ends at once, and closes it.
                    _end(oldest)
                    del self._unproved[oldest]
                    return
            time.sleep(min(stay, _SHORTEST_PAUSE))

    def _examine(self, accepted: socket.socket) -> None:
        rank: int | None = None
        connection: Connection | None = None
        # A second handle, by which the others end this connection before it is proved.
        with contextlib.closing(accepted):
            try:
                _prepare(accepted)
                connection = self._decided(accepted)
                rank = self._proved(connection)
            except OSError:
                _say_farewell(accepted)
            with self._lock:
                was_ended = self._unproved.pop(accepted, None) is None
                if rank is not None and connection is not None and not was_ended and not self._is_closed:
                    self._arrivals.put((rank, connection))
                    return
            _end(accepted)
            if connection is not None:
                connection.close()

    def _proved(self, connection: Connection) -> int:
        """Returns the rank of the other side.

        Raises:
            OSError: if it has no right to connect.
        """
        deadline = time.monotonic() + _PROOF_SECONDS
        key = self._group.key
        begin = _received(connection, len(_MAGIC) + _NONCE, deadline)
        if not begin.startswith(_MAGIC):
            raise PermissionError("it uses another protocol")
        theirs, own, binding = begin[len(_MAGIC) :], secrets.token_bytes(_NONCE), connection.binding()
        connection.send(own + _proof(key, b"listener", theirs, own, binding))
        answer = _received(connection, _HELLO.size + _PROOF, deadline)
        hello = answer[: _HELLO.size]
        rank, digest = _HELLO.unpack(hello)
        proof = _proof(key, b"caller", theirs, own, hello, binding)
        is_proved = hmac.compare_digest(answer[_HELLO.size :], proof)
        if not is_proved or digest != self._group.digest or rank not in self._expected:
            connection.send(_REFUSED)
            raise PermissionError("its token or its addresses differ")
        connection.send(_ACCEPTED)
        return int(rank)

    def _decided(self, accepted: socket.socket) -> Connection:
        """Returns the connection, with TLS or without, as the group has it.

        Raises:
            OSError: if the other side does the opposite.
        """
        tls = self._group.tls
        accepted.settimeout(_PROOF_SECONDS)
        first = accepted.recv(1, socket.MSG_PEEK)
        if not first:
            raise ConnectionResetError("the connection was closed")
        if (first == _TLS_HANDSHAKE) != (tls is not None):
            accepted.sendall(_OTHER_TLS)
            raise PermissionError("TLS differs")
        copy = accepted.dup()
        if tls is None:
            return PlainSocket(fileno=copy.detach())
        with engine_errors():
            return tls.accept(copy.detach())


def _end(connection: socket.socket) -> None:
    """Ends a connection: a thread that waits for it returns."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
