"""Imports and runs graphs with every byte of their files damaged, in a process whose memory is bounded.

`python damaged_graphs.py KIND DAMAGE` prints how many were refused and how many ran.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable, Iterator

import numpy as np

import ferroflow as tf

# A damaged shape may ask for more than any machine has, and must be told so.
_MEMORY = 6 << 30
# A damaged number of rounds may take years.
_MILLISECONDS = 1000


def _build() -> None:
    """A graph with constants, attributes of many kinds, text, a branch and a loop."""
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    w = tf.constant(np.arange(8, dtype=np.float32).reshape(4, 2), name="w")
    y = tf.matmul(x, w, name="mul")
    y = tf.reshape(tf.transpose(y, [1, 0]), [-1, 2])
    y = tf.concat([y, y[:1]], 0)
    words = tf.string_join([tf.constant(["a", "bc"]), tf.constant("d")])
    with tf.control_dependencies([words]):
        y = tf.cond(tf.reduce_sum(y) > 0.0, lambda: y + 1.0, lambda: y - 1.0)
    loop = tf.while_loop(lambda i, _: i < 2, lambda i, v: (i + 1, v * 2.0), [0, y], [tf.TensorShape([]), y.shape])
    image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    pooled = tf.nn.max_pool(image, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    tf.add(tf.reduce_sum(loop[1]), tf.reduce_sum(pooled), name="y")


def _graph_def() -> bytes:
    with tf.Graph().as_default() as graph:
        _build()
        return bytes(graph.as_graph_def(add_shapes=True).SerializeToString(deterministic=True))


def _meta_graph() -> bytes:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        v = tf.get_variable("v", [2, 1], initializer=tf.ones_initializer())
        tf.reduce_sum(tf.matmul(x, v), name="y")
        tf.train.Saver()
        message = tf.train.export_meta_graph(clear_extraneous_savers=False)
        # What importing does not look at.
        message.meta_info_def.ClearField("stripped_op_list")
        return bytes(message.SerializeToString(deterministic=True))


def _import_graph(content: bytes) -> None:
    tf.import_graph_def(tf.GraphDef.FromString(content), name="")


def _import_meta_graph(content: bytes) -> None:
    tf.train.import_meta_graph(tf.MetaGraphDef.FromString(content))


def _flips(content: bytes) -> Iterator[bytes]:
    for at in range(len(content)):
        for bit in (0x01, 0x80, 0xFF):
            yield content[:at] + bytes([content[at] ^ bit]) + content[at + 1 :]


def _cuts(content: bytes) -> Iterator[bytes]:
    for size in range(len(content)):
        yield content[:size]


KINDS: dict[str, tuple[Callable[[], bytes], Callable[[bytes], None], int]] = {
    "GraphDef": (_graph_def, _import_graph, 4),
    "MetaGraphDef": (_meta_graph, _import_meta_graph, 2),
}
DAMAGES = {"flips": _flips, "cuts": _cuts}


def _runs(load: Callable[[bytes], None], content: bytes, columns: int) -> bool:
    """Whether a file is imported and run; raises what is neither a refusal nor an error of the step."""
    from google.protobuf.message import DecodeError

    config = tf.ConfigProto(operation_timeout_in_ms=_MILLISECONDS, intra_op_parallelism_threads=1)
    with tf.Graph().as_default() as graph:
        try:
            load(content)
        except (DecodeError, ValueError, TypeError, KeyError, RuntimeError, tf.errors.OpError):
            return False
        try:
            fetch, feed = graph.get_tensor_by_name("y:0"), graph.get_tensor_by_name("x:0")
            with tf.Session(config=config) as session:
                for variable in tf.global_variables():
                    session.run(variable.initializer)
                session.run(fetch, {feed: np.ones((3, columns), np.float32)})
        except (ValueError, TypeError, KeyError, tf.errors.OpError):
            return False
    return True


def main(kind: str, damage: str) -> tuple[int, int]:
    """Damages every byte; the numbers of files that were refused, and that ran."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    make, load, columns = KINDS[kind]
    content = make()
    assert _runs(load, content, columns)
    results = [_runs(load, damaged, columns) for damaged in DAMAGES[damage](content)]
    return results.count(False), results.count(True)


if __name__ == "__main__":
    print(*main(sys.argv[1], sys.argv[2]))
