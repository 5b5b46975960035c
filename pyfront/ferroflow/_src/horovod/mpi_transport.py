"""Communication of the engine's collective operations by MPI, through mpi4py."""

from __future__ import annotations

import os
import time
from typing import Any, Final

_MESSAGES: Final = 1
# Checks for the end of an exchange before the thread sleeps between them, and the seconds that it sleeps.
_EAGER_CHECKS: Final = 2000
_PAUSE: Final = 50e-6


class MpiTransport:
    """Methods that the engine's communication thread calls; `rust/collective/src/transport.rs` defines them.

    The buffers are memory of the engine. They must not be used after the method has returned.

    Args:
        mpi: the module `mpi4py.MPI`.
        communicator: mpi4py communicator that only this object uses.
    """

    def __init__(self, mpi: Any, communicator: Any) -> None:
        self._mpi = mpi
        self._communicator = communicator
        self._byte = mpi.BYTE
        self._status = mpi.Status()
        self._sending: list[Any] = []
        # Without 8 and 16 bits: Open MPI's sums of these end at the type's limits, while the engine's wrap around.
        self._types = {
            "float32": mpi.FLOAT,
            "float64": mpi.DOUBLE,
            "int32": mpi.INT32_T,
            "int64": mpi.INT64_T,
            "uint32": mpi.UINT32_T,
            "uint64": mpi.UINT64_T,
        }

    def send(self, to: int, message: bytes) -> None:
        """Begins to send a message to a rank."""
        self._sending = [request for request in self._sending if not request.Test()]
        self._sending.append(self._communicator.Isend([message, self._byte], to, _MESSAGES))

    def poll(self) -> tuple[int, bytes] | None:
        """Returns the sender and the bytes of a message that has arrived; None if there is none."""
        found = self._communicator.Improbe(self._mpi.ANY_SOURCE, _MESSAGES, self._status)
        if found is None:
            return None
        message = bytearray(self._status.Get_count(self._byte))
        sender: int = self._status.Get_source()
        found.Recv([message, self._byte])
        return sender, bytes(message)

    def is_flushed(self) -> bool:
        """Returns True if all messages have left this process."""
        self._sending = [request for request in self._sending if not request.Test()]
        return not self._sending

    def receive_rest(self, patience: float) -> None:
        """Receives what the others sent while this rank left: MPI may be finalized only without such messages.

        Args:
            patience: float, the seconds that the other ranks have to leave, too.
        """
        end, all_left = time.monotonic() + patience, self._communicator.Ibarrier()
        while not all_left.Test():
            if time.monotonic() > end:
                return
            time.sleep(_PAUSE)
        while self.poll() is not None:
            pass

    def exchange(self, send: memoryview, sizes: list[int], receive: memoryview) -> None:
        """Sends each other rank its part of `send`; receives this rank's part from each of them, in rank order."""
        own, others = self._communicator.Get_rank(), [0] * len(sizes)
        received, starts = sizes[own], []
        for rank in range(len(sizes)):
            starts.append(received * (rank - (rank > own)))
            if rank != own:
                others[rank] = received
        sent = [0 if rank == own else size for rank, size in enumerate(sizes)]
        _wait(
            self._communicator.Ialltoallv(
                [send, (sent, _starts(sizes)), self._byte], [receive, (others, starts), self._byte]
            )
        )

    def gather(self, data: memoryview, sizes: list[int]) -> None:
        """Receives the parts of the other ranks beside this rank's in `data`."""
        _wait(self._communicator.Iallgatherv(self._mpi.IN_PLACE, [data, (sizes, _starts(sizes)), self._byte]))

    def broadcast(self, data: memoryview, root: int) -> None:
        """Copies the data of rank `root` to all ranks."""
        _wait(self._communicator.Ibcast([data, self._byte], root))

    def sum(self, data: memoryview, dtype: str) -> bool:
        """Adds the elements of all ranks by MPI's own algorithm; returns False for a dtype that MPI sums otherwise."""
        known = self._types.get(dtype)
        if known is None:
            return False
        _wait(self._communicator.Iallreduce(self._mpi.IN_PLACE, [data, known], self._mpi.SUM))
        return True


def _wait(request: Any) -> None:
    """Waits for the end of an exchange. MPI's own wait would keep a core busy, which other ranks may need."""
    checks = 0
    while not request.Test():
        checks += 1
        if checks < _EAGER_CHECKS:
            os.sched_yield()
        else:
            time.sleep(_PAUSE)


def _starts(sizes: list[int]) -> list[int]:
    starts, start = [], 0
    for size in sizes:
        starts.append(start)
        start += size
    return starts
