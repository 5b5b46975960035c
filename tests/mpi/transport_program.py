"""The methods of MpiTransport between the ranks, without the engine."""

import time

import numpy as np
from mpi4py import MPI
from reports import report

from ferroflow._src.horovod.mpi_transport import MpiTransport

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
transport = MpiTransport(MPI, world.Dup())


def received(count):
    found, end = [], time.monotonic() + 60
    while len(found) < count and time.monotonic() < end:
        message = transport.poll()
        if message is not None:
            found.append(message)
    return found


# Messages keep their order and their bounds, also empty and large ones.
messages = [b"", bytes([rank]) * 5, bytes(range(256)) * 400]
for message in messages:
    transport.send((rank + 1) % size, message)
before = (rank - 1) % size
ordered = received(3) == [(before, b""), (before, bytes([before]) * 5), (before, messages[2])]
is_flushed = False
end = time.monotonic() + 60
while not is_flushed and time.monotonic() < end:
    is_flushed = transport.is_flushed()

sizes = [8 * (r + 1) for r in range(size)]
send = np.arange(sum(sizes), dtype=np.uint8) + rank * 10
own = sizes[rank]
room = np.zeros(own * (size - 1), np.uint8)
transport.exchange(memoryview(send), sizes, memoryview(room))
start = sum(sizes[:rank])
others = [r for r in range(size) if r != rank]
expected = [np.arange(sum(sizes), dtype=np.uint8)[start : start + own] + r * 10 for r in others]
exchanged = np.array_equal(room, np.concatenate(expected))

data = np.zeros(sum(sizes), np.uint8)
data[start : start + own] = rank + 1
transport.gather(memoryview(data), sizes)
gathered = np.array_equal(data, np.repeat(np.arange(size) + 1, sizes))

broadcast = []
for root in range(size):
    data = np.full(7, rank, np.uint8)
    data.flags.writeable = rank != root
    transport.broadcast(memoryview(data), root)
    broadcast.append(bool((data == root).all()))

values = np.full(3, rank + 1.0)
known = transport.sum(memoryview(values).cast("B"), "float64")
unknown = transport.sum(memoryview(values).cast("B"), "bfloat16")
report(
    rank,
    ordered=ordered,
    flushed=is_flushed,
    exchanged=exchanged,
    gathered=gathered,
    broadcast=broadcast,
    known=known,
    unknown=unknown,
    values=values,
)
