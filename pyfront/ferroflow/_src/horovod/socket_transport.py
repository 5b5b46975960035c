"""`SocketTransport`: the bytes of collective operations over TCP connections, without MPI."""

from __future__ import annotations

import contextlib
import select
import struct
import time
from collections import deque
from collections.abc import Mapping
from typing import Final

from ferroflow._src.horovod.connections import Connection

_HEADER: Final = struct.Struct("<BQ")
_MESSAGE: Final = 0
_DATA: Final = 1
# More than the messages about a step with a hundred thousand tensors.
_MOST_MESSAGE: Final = 1 << 26
_CHUNK: Final = 1 << 20
_LOOK_MILLISECONDS: Final = 1000
_READ_MASK: Final = select.POLLIN | select.POLLHUP | select.POLLERR


class _Peer:
    """The connection to another rank, and what of it was read and not written yet."""

    def __init__(self, rank: int, connection: Connection) -> None:
        self.rank = rank
        self.socket = connection
        self.outbox = bytearray()
        self.begin = bytearray()
        self.message: bytearray | None = None
        self.expected = 0
        # The size of the data frame that comes next; None if its header has not been read.
        self.data: int | None = None

    def lost(self, reason: str) -> ConnectionError:
        return ConnectionError(f"Rank {self.rank} has ended: {reason}.")

    def receive(self, size: int) -> bytes | None:
        """Returns some bytes; None if there are none now.

        Raises:
            ConnectionError: if the connection has ended.
        """
        try:
            found = self.socket.recv(size)
        except BlockingIOError:
            return None
        except OSError as failure:
            raise self.lost(str(failure)) from None
        if not found:
            raise self.lost("its connection was closed")
        return found

    def read_frames(self, messages: deque[tuple[int, bytes]]) -> None:
        """Reads the messages that have arrived, until data come next.

        Raises:
            ConnectionError: if the connection has ended.
        """
        while self.data is None:
            if self.message is None:
                part = self.receive(_HEADER.size - len(self.begin))
                if part is None:
                    return
                self.begin += part
                if len(self.begin) < _HEADER.size:
                    continue
                kind, size = _HEADER.unpack(self.begin)
                self.begin.clear()
                if kind == _DATA:
                    self.data = size
                    return
                if kind != _MESSAGE or size > _MOST_MESSAGE:
                    raise self.lost("it sent bytes that are no message")
                self.message, self.expected = bytearray(), size
            while len(self.message) < self.expected:
                part = self.receive(min(_CHUNK, self.expected - len(self.message)))
                if part is None:
                    return
                self.message += part
            messages.append((self.rank, bytes(self.message)))
            self.message = None

    def flush(self) -> bool:
        """Writes what waits to be sent; returns True if nothing is left.

        Raises:
            ConnectionError: if the connection has ended.
        """
        while self.outbox:
            try:
                sent = self.socket.send(self.outbox)
            except BlockingIOError:
                return False
            except OSError as failure:
                raise self.lost(str(failure)) from None
            del self.outbox[:sent]
        try:
            return self.socket.flush()
        except OSError as failure:
            raise self.lost(str(failure)) from None


class _Transfer:
    """Data that go to one rank, or come from it, during an exchange."""

    def __init__(self, view: memoryview) -> None:
        self.view = view
        self.done = 0

    @property
    def is_done(self) -> bool:
        return self.done == len(self.view)


class SocketTransport:
    """Transport of a group over sockets; `rust/collective/src/transport.rs` defines the methods.

    One thread calls them. The buffers must not be used after a method has returned.

    Args:
        rank: int, this process's rank.
        connections: dict from the other ranks to connected sockets that do not block, as of `connect_group`.
        lost_after: float, seconds without any progress after which an exchange ends with an error; 0 for never.
    """

    def __init__(self, rank: int, connections: Mapping[int, Connection], lost_after: float) -> None:
        self._rank = rank
        self._size = len(connections) + 1
        self._peers = {other: _Peer(other, connection) for other, connection in sorted(connections.items())}
        self._by_descriptor = {peer.socket.fileno(): peer for peer in self._peers.values()}
        self._messages: deque[tuple[int, bytes]] = deque()
        self._lost_after = lost_after
        # Ranks whose next frame may be a message.
        self._readable = select.poll()
        for descriptor in self._by_descriptor:
            self._readable.register(descriptor, select.POLLIN)

    def __del__(self) -> None:
        # The engine drops the transport when its thread ends.
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        for peer in self._peers.values():
            peer.socket.close()

    def send(self, to: int, message: bytes) -> None:
        """Sends a message to a rank."""
        peer = self._peers[to]
        peer.outbox += _HEADER.pack(_MESSAGE, len(message))
        peer.outbox += message
        since = time.monotonic()
        while not peer.flush():
            # The other rank may be in the same call: without this, both would wait for room.
            self._read(peer)
            waiting = select.poll()
            waiting.register(peer.socket, select.POLLOUT | (select.POLLIN if peer.data is None else 0))
            if not peer.socket.pending() and not waiting.poll(_LOOK_MILLISECONDS):
                self._check_time(since, [to])

    def poll(self) -> tuple[int, bytes] | None:
        """Returns the sender and the bytes of a message that has arrived; None if there is none."""
        if not self._messages:
            failure: ConnectionError | None = None
            for peer in self._with_news():
                try:
                    self._read(peer)
                except ConnectionError as error:
                    failure = error
            # The last message of a rank may be the reason for its end.
            if failure is not None and not self._messages:
                raise failure
        return self._messages.popleft() if self._messages else None

    def is_flushed(self) -> bool:
        """Returns True if all messages have left this process."""
        return all([peer.flush() for peer in self._peers.values()])

    def exchange(self, send: memoryview, sizes: list[int], receive: memoryview) -> None:
        """Sends each other rank its part of `send`; receives this rank's part from each of them, in rank order."""
        own = sizes[self._rank]
        with contextlib.ExitStack() as views:
            outgoing, incoming, start = {}, {}, 0
            for rank, size in enumerate(sizes):
                if rank != self._rank:
                    outgoing[rank] = _Transfer(views.enter_context(send[start : start + size]))
                    place = own * (rank - (rank > self._rank))
                    incoming[rank] = _Transfer(views.enter_context(receive[place : place + own]))
                start += size
            self._run(outgoing, incoming)

    def gather(self, data: memoryview, sizes: list[int]) -> None:
        """Receives the parts of the other ranks beside this rank's in `data`."""
        with contextlib.ExitStack() as views:
            parts, start = [], 0
            for size in sizes:
                parts.append(views.enter_context(data[start : start + size]))
                start += size
            others = [rank for rank in range(self._size) if rank != self._rank]
            self._run(
                {rank: _Transfer(parts[self._rank]) for rank in others},
                {rank: _Transfer(parts[rank]) for rank in others},
            )

    def broadcast(self, data: memoryview, root: int) -> None:
        """Copies the data of rank `root` to all ranks: each rank sends to the next one what it has received."""
        before, after = (self._rank - 1) % self._size, (self._rank + 1) % self._size
        incoming = {} if self._rank == root else {before: _Transfer(data)}
        outgoing = {} if after == root else {after: _Transfer(data)}
        self._run(outgoing, incoming, source=incoming.get(before))

    def sum(self, data: memoryview, dtype: str) -> bool:
        """Returns False: sums are made in rank order."""
        return False

    def _with_news(self) -> list[_Peer]:
        """Returns the ranks from which a message may have arrived."""
        found = [self._by_descriptor[descriptor] for descriptor, _ in self._readable.poll(0)]
        return found + [
            peer for peer in self._peers.values() if peer.data is None and peer not in found and peer.socket.pending()
        ]

    def _read(self, peer: _Peer) -> None:
        peer.read_frames(self._messages)
        if peer.data is not None:
            # Its data are read in the exchange that they belong to.
            self._readable.unregister(peer.socket)

    def _check_time(self, since: float, ranks: list[int]) -> None:
        if self._lost_after and time.monotonic() - since > self._lost_after:
            named = ", ".join(str(rank) for rank in sorted(set(ranks)))
            raise TimeoutError(f"no byte went to or came from rank {named} for {self._lost_after:g} s")

    def _run(
        self,
        outgoing: Mapping[int, _Transfer],
        incoming: Mapping[int, _Transfer],
        source: _Transfer | None = None,
    ) -> None:
        """Sends and receives data until all are done.

        Args:
            outgoing: the data for each rank.
            incoming: the memory for the data of each rank.
            source: the transfer whose received bytes are what may be sent; None if all may be.

        Raises:
            ConnectionError: if a rank has ended, or sends something else.
            TimeoutError: if nothing moves for too long.
        """
        out = {rank: t for rank, t in outgoing.items() if len(t.view)}
        coming = {rank: t for rank, t in incoming.items() if len(t.view)}
        for rank, transfer in out.items():
            self._peers[rank].outbox += _HEADER.pack(_DATA, len(transfer.view))
        poller = select.poll()
        masks: dict[int, int] = {}
        since = time.monotonic()
        while out or coming:
            for rank in {*out, *coming, *masks}:
                mask = _READ_MASK if rank in coming else 0
                if rank in out and (source is None or self._has_to_send(rank, out[rank], source)):
                    mask |= select.POLLOUT
                if mask != masks.get(rank, 0):
                    if mask:
                        poller.register(self._peers[rank].socket, mask)
                    else:
                        poller.unregister(self._peers[rank].socket)
                    masks[rank] = mask
            # Bytes that are already decrypted make no socket readable.
            held = [rank for rank in coming if self._peers[rank].socket.pending()]
            events = poller.poll(0 if held else _LOOK_MILLISECONDS)
            ready = {self._by_descriptor[descriptor].rank for descriptor, _ in events}.union(held)
            if not ready:
                self._check_time(since, [*out, *coming])
                continue
            since = time.monotonic()
            for rank in sorted(ready):
                peer = self._peers[rank]
                if peer.rank in coming and self._receive_data(peer, coming[peer.rank]):
                    del coming[peer.rank]
                if peer.rank in out and self._send_data(peer, out[peer.rank], source):
                    del out[peer.rank]

    def _has_to_send(self, rank: int, transfer: _Transfer, source: _Transfer) -> bool:
        return source.done > transfer.done or transfer.is_done or bool(self._peers[rank].outbox)

    def _receive_data(self, peer: _Peer, transfer: _Transfer) -> bool:
        """Receives what has arrived; returns True if that is all."""
        if peer.data is None:
            self._read(peer)
            if peer.data is None:
                return False
        if peer.data != len(transfer.view):
            raise peer.lost(f"it sent {peer.data} bytes, but {len(transfer.view)} were expected")
        with transfer.view[transfer.done :] as room:
            try:
                count = peer.socket.recv_into(room)
            except BlockingIOError:
                return False
            except OSError as failure:
                raise peer.lost(str(failure)) from None
        if not count:
            raise peer.lost("its connection was closed")
        transfer.done += count
        if transfer.is_done:
            peer.data = None
            self._readable.register(peer.socket, select.POLLIN)
        return transfer.is_done

    def _send_data(self, peer: _Peer, transfer: _Transfer, source: _Transfer | None) -> bool:
        """Sends what fits now; returns True if that was all, and has left this process."""
        if not peer.flush():
            return False
        end = len(transfer.view) if source is None else source.done
        if end > transfer.done:
            with transfer.view[transfer.done : end] as rest:
                try:
                    transfer.done += peer.socket.send(rest)
                except BlockingIOError:
                    return False
                except OSError as failure:
                    raise peer.lost(str(failure)) from None
        return transfer.is_done and peer.flush()
