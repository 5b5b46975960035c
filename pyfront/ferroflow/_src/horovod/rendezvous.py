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
from typing import Final

from ferroflow._src.base import tf_logging

_MAGIC: Final = b"ferroflow-group-1\n"
_NONCE: Final = 32
_PROOF: Final = hashlib.sha256().digest_size
_HELLO: Final = struct.Struct(f"<I{_PROOF}s")
_ACCEPTED: Final = b"\x00"
_REFUSED: Final = b"\x01"
# Seconds that the other side of a connection has to prove that it has the token.
_PROOF_SECONDS: Final = 5.0
# Connections that may be unproved at the same time.
_MOST_UNPROVED: Final = 64
_SHORTEST_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 1.0
_FIRST_REPORT: Final = 4.0
_REPORTS: Final = 10.0
_LOOPBACK: Final = frozenset(("localhost", "::1"))

TOKEN: Final = "FERROFLOW_CLUSTER_TOKEN"
_BIND: Final = "FERROFLOW_CLUSTER_BIND"
_LEAST_TOKEN: Final = 16


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


def _received(connection: socket.socket, size: int) -> bytes:
    """Returns bytes of a connection with a time limit for each part.

    Raises:
        OSError: if the connection ends before.
    """
    parts = b""
    while len(parts) < size:
        part = connection.recv(size - len(parts))
        if not part:
            raise ConnectionResetError("the connection was closed")
        parts += part
    return parts


def connect_group(addresses: Sequence[str], rank: int, wait: float) -> dict[int, socket.socket]:
    """Connects this process to all others of its group.

    Each rank listens at its address and connects to the ranks before it. Both sides prove that they have the token
    (FERROFLOW_CLUSTER_TOKEN) before they exchange anything else.

    Args:
        addresses: list of str, the address of each rank.
        rank: int, this process's rank.
        wait: float, seconds to wait for the other ranks.

    Returns:
        dict from the other ranks to connected sockets.

    Raises:
        ValueError: if an address is wrong, or there is no token although not all addresses are loopback.
        RuntimeError: if a rank cannot be reached in time, or has another token or other addresses.
        OSError: if this process cannot listen at its address.
    """
    key = _key(addresses)
    digest = hashlib.sha256("\n".join(addresses).encode()).digest()
    deadline = time.monotonic() + wait
    with contextlib.ExitStack() as stack:
        arrivals: queue.Queue[tuple[int, socket.socket]] = queue.Queue()
        if rank < len(addresses) - 1:
            stack.enter_context(_Listener(addresses, rank, key, digest, arrivals))
        found: dict[int, socket.socket] = {}
        try:
            for other in range(rank):
                found[other] = _connected(addresses, rank, other, key, digest, deadline)
            _collect(found, arrivals, addresses, rank, deadline)
        except BaseException:
            for connection in found.values():
                connection.close()
            raise
    for connection in found.values():
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        connection.setblocking(False)
    return found


def _collect(
    found: dict[int, socket.socket],
    arrivals: queue.Queue[tuple[int, socket.socket]],
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


def _connected(
    addresses: Sequence[str], rank: int, other: int, key: bytes, digest: bytes, deadline: float
) -> socket.socket:
    """Returns a connection to a rank before this one."""
    pause, report = _SHORTEST_PAUSE, time.monotonic() + _FIRST_REPORT
    while True:
        try:
            connection = socket.create_connection(split_address(addresses[other]), timeout=_PROOF_SECONDS)
            try:
                _introduce(connection, rank, key, digest)
            except BaseException:
                connection.close()
                raise
            return connection
        except _RefusedError as failure:
            raise RuntimeError(f"rank {other} at {addresses[other]} refused rank {rank}: {failure}") from None
        except OSError as failure:
            now = time.monotonic()
            if now >= deadline:
                raise RuntimeError(f"rank {other} at {addresses[other]} cannot be reached: {failure}") from None
            if now >= report:
                tf_logging.info("Rank %d waits for rank %d at %s: %s", rank, other, addresses[other], failure)
                report = now + _REPORTS
            time.sleep(min(pause, deadline - now))
            pause = min(2 * pause, _LONGEST_PAUSE)


def _introduce(connection: socket.socket, rank: int, key: bytes, digest: bytes) -> None:
    own = secrets.token_bytes(_NONCE)
    connection.sendall(_MAGIC + own)
    answer = _received(connection, _NONCE + _PROOF)
    theirs = answer[:_NONCE]
    if not hmac.compare_digest(answer[_NONCE:], _proof(key, b"listener", own, theirs)):
        raise _RefusedError(f"its {TOKEN} differs")
    hello = _HELLO.pack(rank, digest)
    connection.sendall(hello + _proof(key, b"caller", own, theirs, hello))
    if _received(connection, 1) != _ACCEPTED:
        raise _RefusedError(f"its {TOKEN} or its list of addresses differs")


class _Listener:
    """Listens at this rank's address while a group is made."""

    def __init__(
        self,
        addresses: Sequence[str],
        rank: int,
        key: bytes,
        digest: bytes,
        arrivals: queue.Queue[tuple[int, socket.socket]],
    ) -> None:
        self._expected = range(rank + 1, len(addresses))
        self._key, self._digest, self._arrivals = key, digest, arrivals
        self._unproved = threading.BoundedSemaphore(_MOST_UNPROVED)
        self._lock = threading.Lock()
        self._is_closed = False
        host, port = split_address(addresses[rank])
        bound = host if _is_loopback(host) else os.environ.get(_BIND, "")
        family = socket.AF_INET6 if ":" in (bound or host) else socket.AF_INET
        self._socket = socket.create_server((bound, port), family=family, backlog=max(64, len(addresses)))

    def __enter__(self) -> _Listener:
        threading.Thread(target=self._listen, name="ferroflow-rendezvous", daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        with self._lock:
            self._is_closed = True
        # A thread that waits in accept() returns only after this.
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        while True:
            try:
                self._arrivals.get_nowait()[1].close()
            except queue.Empty:
                return

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                if self._is_closed:
                    return
                # There may be no descriptor left for the moment.
                time.sleep(_SHORTEST_PAUSE)
                continue
            if self._unproved.acquire(blocking=False):
                threading.Thread(target=self._examine, args=(connection,), daemon=True).start()
            else:
                connection.close()

    def _examine(self, connection: socket.socket) -> None:
        try:
            rank = self._proved(connection)
        except OSError:
            rank = None
        finally:
            self._unproved.release()
        with self._lock:
            if rank is not None and not self._is_closed:
                self._arrivals.put((rank, connection))
                return
        connection.close()

    def _proved(self, connection: socket.socket) -> int | None:
        """Returns the rank of the other side; None if it has no right to connect."""
        connection.settimeout(_PROOF_SECONDS)
        begin = _received(connection, len(_MAGIC) + _NONCE)
        if not begin.startswith(_MAGIC):
            return None
        theirs, own = begin[len(_MAGIC) :], secrets.token_bytes(_NONCE)
        connection.sendall(own + _proof(self._key, b"listener", theirs, own))
        answer = _received(connection, _HELLO.size + _PROOF)
        hello = answer[: _HELLO.size]
        rank, digest = _HELLO.unpack(hello)
        is_proved = hmac.compare_digest(answer[_HELLO.size :], _proof(self._key, b"caller", theirs, own, hello))
        if is_proved and digest == self._digest and rank in self._expected:
            connection.sendall(_ACCEPTED)
            return int(rank)
        connection.sendall(_REFUSED)
        return None
