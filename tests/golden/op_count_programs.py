"""Functions whose number of operations decides the seeds of all operations that follow.

python op_count_programs.py    # in an environment with TensorFlow 1.15: writes op_counts.json beside this file
"""

from __future__ import annotations

import json
import pathlib
import zlib
from typing import Any

import numpy as np

# Statements that see `tf`, and the tensors that `_names` makes.
STATEMENTS = (
    "tf.zeros([n])",
    "tf.zeros([n, 5])",
    "tf.zeros([3, n, 5, n])",
    "tf.zeros((n, 3), tf.int32)",
    "tf.zeros((2, n), tf.bool)",
    "tf.zeros([tf.shape(x)[0], 5])",
    "tf.zeros([x.shape[1], n])",
    "tf.zeros([tf.cast(n, tf.int64), 3])",
    "tf.zeros([tf.cast(n, tf.int64), n])",
    "tf.zeros(tf.shape(x))",
    "tf.zeros(tf.stack([n, 3]))",
    "tf.zeros(n)",
    "tf.zeros([2, 3])",
    "tf.zeros([2000])",
    "tf.zeros(3)",
    "tf.zeros(x.shape[1])",
    "tf.zeros(x[0].shape)",
    "tf.zeros(np.int64(3))",
    "tf.zeros(np.array([2, 3]))",
    "tf.zeros(range(2, 4))",
    "tf.zeros([])",
    "tf.ones(3, tf.int32)",
    "tf.ones([n])",
    "tf.ones([n, n])",
    "tf.ones([3, n, 5, n])",
    "tf.ones([2, 3])",
    "tf.fill([n, 5], 1.0)",
    "tf.linalg.LinearOperatorLowerTriangular(square)",
    "tf.linalg.LinearOperatorLowerTriangular(square).to_dense()",
    "tf.linalg.LinearOperatorLowerTriangular(square).diag_part()",
    "tf.linalg.LinearOperatorLowerTriangular(square).matmul(square)",
    "tf.linalg.LinearOperatorFullMatrix(square).matmul(square)",
    *(
        f"tf.image.{function}"
        for image in ("image", "sized", "images", "anything")
        for function in (
            f"random_flip_left_right({image})",
            f"flip_up_down({image})",
            f"transpose_image({image})",
            f"pad_to_bounding_box({image}, 1, 1, 9, 9)",
            f"crop_to_bounding_box({image}, n, n, n, n)",
            f"resize_image_with_crop_or_pad({image}, 3, 8)",
            f"per_image_standardization({image})",
        )
    ),
    "tf.image.random_flip_left_right(batch)",
    "seq2seq.LuongAttention(8, memory, lengths)",
    "seq2seq.BahdanauAttention(8, memory, lengths, normalize=True)(tf.zeros([2, 8]), None)",
    "seq2seq.AttentionWrapper(cell, seq2seq.LuongAttention(8, memory, lengths)).zero_state(n, tf.float32)"
    ".clone(cell_state=states)",
    "seq2seq.sequence_loss(memory, indices, weights)",
    "tf.contrib.framework.with_same_shape(memory, memory)",
    "tf.keras.layers.LeakyReLU()(x)",
    "tf.reduce_mean(x)",
    "tf.reduce_mean(variable)",
    "tf.reduce_max(variable)",
    "tf.reduce_sum(resource)",
    "tf.reduce_sum(np.ones([2, 3], np.float32))",
    "tf.reduce_sum([1.0, 2.0])",
    "tf.reduce_sum(variable, 0)",
    "tf.reduce_logsumexp(variable)",
    "tf.reduce_sum(anything)",
    *(
        f"tf.contrib.distributions.{distribution}.{method}"
        for distribution in (
            "MultivariateNormalDiag(memory[:, 0], tf.ones([8]))",
            "MultivariateNormalDiag(loc=eight)",
            "MultivariateNormalTriL(x, five)",
        )
        for method in ("sample()", "sample(7)", "sample(n)", "mean()", "stddev()", "covariance()", "mode()")
    ),
    *(
        f"tf.einsum('{equation}', {', '.join(inputs)})"
        for equation, *inputs in (
            ("ij,jk->ik", "x", "five"),
            ("ij,jk", "x", "five"),
            ("bij,bjk->bik", "square", "square"),
            ("bij,jk->bik", "memory", "eight"),
            ("bij,bkj->bik", "memory", "memory"),
            ("ibh,hnd->ibnd", "memory", "tf.zeros([8, 2, 3])"),
            ("ibnd,jbnd->ijbn", "heads", "heads"),
            ("ijbs,ibns->ijbn", "heads", "heads"),
            ("ibnd,hnd->ibh", "heads", "tf.zeros([8, 2, 3])"),
            ("i,d->id", "tf.range(3.0)", "tf.range(2.0)"),
            ("ij,ij->", "x", "x"),
            ("ij,ij->i", "x", "x"),
            ("ij,k->kji", "x", "tf.range(2.0)"),
            ("ij->ji", "x"),
            ("ij->j", "x"),
            ("ii", "five"),
            ("...ij,...jk->...ik", "images", "images"),
            ("...j,jk->...k", "memory", "eight"),
            ("ij,jk,kl->il", "x", "five", "five"),
            ("ij,ij,ij->i", "x", "x", "five"),
            ("ijk,ijl->lk", "square", "square"),
        )
    ),
    "tf.keras.layers.ReLU(6.0)(x)",
)


def _names(tf: Any) -> dict[str, Any]:
    return {
        "tf": tf,
        "np": np,
        "n": tf.placeholder(tf.int32, []),
        "x": tf.placeholder(tf.float32, [None, 5]),
        "square": tf.placeholder(tf.float32, [2, 3, 3]),
        "image": tf.placeholder(tf.float32, [None, None, 3]),
        "sized": tf.placeholder(tf.float32, [4, 5, 3]),
        "images": tf.placeholder(tf.float32, [None, None, None, 3]),
        "batch": tf.placeholder(tf.float32, [2, 4, 5, 3]),
        "seq2seq": tf.contrib.seq2seq,
        "cell": tf.nn.rnn_cell.GRUCell(8),
        "memory": tf.placeholder(tf.float32, [None, None, 8]),
        "states": tf.placeholder(tf.float32, [None, 8]),
        "lengths": tf.placeholder(tf.int32, [None]),
        "indices": tf.placeholder(tf.int32, [None, None]),
        "weights": tf.placeholder(tf.float32, [None, None]),
        "anything": tf.placeholder(tf.float32),
        "variable": tf.get_variable("variable", [2, 3], use_resource=False),
        "resource": tf.get_variable("resource", [2, 3], use_resource=True),
        "five": tf.placeholder(tf.float32, [5, 5]),
        "eight": tf.placeholder(tf.float32, [8, 4]),
        "heads": tf.placeholder(tf.float32, [None, None, 2, 3]),
    }


def counts(tf: Any) -> dict[str, list[int]]:
    """Returns how many operations each statement adds, and a checksum of their names.

    Args:
        tf: the module of TensorFlow 1.15, or ferroflow.

    Returns:
        dict from each statement to the number by which the last id of the graph grows, and a checksum of the new names.
    """
    found: dict[str, list[int]] = {}
    for statement in STATEMENTS:
        with tf.Graph().as_default() as graph:
            names = _names(tf)
            before, known = graph._last_id, len(graph.get_operations())
            eval(statement, names)
            made = [operation.name for operation in graph.get_operations()[known:]]
            found[statement] = [graph._last_id - before, zlib.crc32("\n".join(sorted(made)).encode())]
    return found


if __name__ == "__main__":
    import tensorflow

    path = pathlib.Path(__file__).with_name("op_counts.json")
    lines = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in counts(tensorflow).items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
