"""Python objects that all processes get: `hvd.broadcast_object` and `hvd.allgather_object`."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes, proto
from ferroflow._src.framework.graph import Graph
from ferroflow._src.horovod.collectives import allgather, broadcast
from ferroflow._src.horovod.process_group import rank, size
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.session.session import Session


def _pickled(obj: object) -> Any:
    return np.frombuffer(pickle.dumps(obj, protocol=pickle.HIGHEST_PROTOCOL), np.uint8)


def _session() -> Session:
    # The values are small; threads for them would take time from the program's own.
    return Session(config=proto.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1))


def broadcast_object(obj: Any, root_rank: int = 0, session: Any = None, name: str | None = None) -> Any:
    """Returns an object of one process on all processes. It travels in pickled form.

    The processes trust each other: unpickling runs code that the sender chooses.

    Args:
        obj: object that can be pickled; on other processes than the root it is not used.
        root_rank: int, the rank of the process whose object is returned.
        session: accepted; the object travels in a session of its own.
        name: str, the same on all processes.

    Returns:
        The object; on the root, `obj` itself.

    Raises:
        ValueError: if `hvd.init` was not called.
        tf.errors.InvalidArgumentError: if there is no such rank.
        tf.errors.UnknownError: if a process has ended or is lost.
    """
    if size() == 1 and root_rank == 0:
        return obj
    is_root = rank() == root_rank
    data = _pickled(obj) if is_root else np.empty(0, np.uint8)
    with Graph().as_default():
        count, content = placeholder(dtypes.int64, []), placeholder(dtypes.uint8, [None])
        base = f"broadcast_object.{name}" if name else "broadcast_object"
        sent = broadcast(count, root_rank, f"{base}.size"), broadcast(content, root_rank, base)
        with _session() as sess:
            total = int(sess.run(sent[0], {count: len(data)}))
            received = sess.run(sent[1], {content: data if is_root else np.empty(total, np.uint8)})
    return obj if is_root else pickle.loads(received.tobytes())


def allgather_object(obj: Any, session: Any = None, name: str | None = None) -> list[Any]:
    """Returns the objects of all processes, in rank order. They travel in pickled form.

    The processes trust each other: unpickling runs code that the sender chooses.

    Args:
        obj: object that can be pickled.
        session: accepted; the objects travel in a session of their own.
        name: str, the same on all processes.

    Returns:
        list of the objects; that of this process is `obj` itself.

    Raises:
        ValueError: if `hvd.init` was not called.
        tf.errors.UnknownError: if a process has ended or is lost.
    """
    if size() == 1:
        return [obj]
    data = _pickled(obj)
    with Graph().as_default():
        count, content = placeholder(dtypes.int64, [1]), placeholder(dtypes.uint8, [None])
        base = f"allgather_object.{name}" if name else "allgather_object"
        sent = allgather(count, f"{base}.sizes"), allgather(content, base)
        with _session() as sess:
            counts, received = sess.run(sent, {count: [len(data)], content: data})
    parts = np.split(received, np.cumsum(counts)[:-1])
    return [obj if i == rank() else pickle.loads(part.tobytes()) for i, part in enumerate(parts)]
