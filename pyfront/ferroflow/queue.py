"""`tf.queue`: the queues, by the names that TF 1.14 and later have."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.ops.queue.queues import (
    FIFOQueue as FIFOQueue,
    PaddingFIFOQueue as PaddingFIFOQueue,
    PriorityQueue as PriorityQueue,
    QueueBase as QueueBase,
    RandomShuffleQueue as RandomShuffleQueue,
)

_tell_absent(globals())
