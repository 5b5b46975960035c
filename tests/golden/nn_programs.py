"""Small programs of pooling, normalization, candidate sampling and CTC, and the numbers that steps give."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

# What a case gives that must be equal to the last bit.
EXACT = ("sampler/", "accidental_hits", "fractional/", "sparse_cross")

_CLASSES = np.array([[1, 7], [0, 12]], np.int64)
_WEIGHTS = [0.5, 1.0, 2.0, 8.0, 0.1, 3.0, 3.0, 1.5, 1.0, 0.7, 12.0, 0.2, 5.0]


def _image(*shape: int, period: int = 23) -> Any:
    count = int(np.prod(shape))
    return (np.arange(count) * 37 % period / 4 - 2).reshape(shape).astype(np.float32)


def _sampler(name: str, unique: bool, **arguments: Any) -> Callable[[Any], Any]:
    def build(tf: Any) -> Any:
        ranged = {} if name == "all" else {"range_max": 13}
        function = getattr(tf.nn, f"{name}_candidate_sampler")
        return function(_CLASSES, num_true=2, num_sampled=5, unique=unique, seed=2, **ranged, **arguments)

    return build


_FRACTIONS = {
    f"{'pseudo_' * pseudo}random{'_overlapping' * overlapping}/{seed}": (pseudo, overlapping, seed)
    for pseudo, overlapping, seed in itertools.product((False, True), (False, True), (1, 77))
}


def _fractional(kind: str, pseudo_random: bool, overlapping: bool, seed: int) -> Callable[[Any], Any]:
    def build(tf: Any) -> Any:
        x = tf.constant(_image(1, 9, 13, 1, period=101))
        y, rows, columns = getattr(tf.nn, f"fractional_{kind}_pool")(
            x,
            [1.0, 1.44, 1.73, 1.0],
            pseudo_random=pseudo_random,
            overlapping=overlapping,
            deterministic=True,
            seed=seed,
            seed2=5,
        )
        return y, rows, columns, tf.gradients(y * _image(*y.shape.as_list()), x)[0]

    return build


def _through_twice(tf: Any, y: Any, xs: list[Any]) -> list[Any]:
    """A value, its gradients, and the gradients of these."""
    first = tf.gradients(y * _image(*y.shape.as_list(), period=19), xs)
    total = tf.add_n([tf.reduce_sum(g * _image(*g.shape.as_list(), period=29)) for g in first])
    second = tf.gradients(total, xs)
    return [y, *first, *(g for g in second if g is not None)]


def _batch_norm(is_training: bool) -> Callable[[Any], Any]:
    def build(tf: Any) -> Any:
        x, scale, offset = tf.constant(_image(2, 3, 3, 2)), tf.constant([1.5, 0.5]), tf.constant([0.1, -0.2])
        moments = {} if is_training else {"mean": tf.constant([0.3, 0.1]), "variance": tf.constant([2.0, 0.7])}
        y, mean, variance = tf.nn.fused_batch_norm(x, scale, offset, is_training=is_training, **moments)
        return [mean, variance, *_through_twice(tf, y, [x, scale])]

    return build


def _pool(function: str, padding: str) -> Callable[[Any], Any]:
    def build(tf: Any) -> Any:
        x = tf.constant(_image(1, 5, 6, 2))
        return _through_twice(tf, getattr(tf.nn, function)(x, [1, 3, 2, 1], [1, 2, 2, 1], padding), [x])

    return build


def _pool3d(function: str) -> Callable[[Any], Any]:
    def build(tf: Any) -> Any:
        x = tf.constant(_image(1, 3, 4, 3, 1))
        y = getattr(tf.nn, function)(x, [1, 2, 2, 2, 1], [1, 1, 2, 2, 1], "SAME")
        return [y, *tf.gradients(y * _image(*y.shape.as_list(), period=19), x)]

    return build


def _lrn(tf: Any) -> Any:
    x = tf.constant(_image(1, 2, 2, 9))
    y = tf.nn.lrn(x, depth_radius=2, bias=1.2, alpha=0.4, beta=0.7)
    return [y, *tf.gradients(y * _image(1, 2, 2, 9, period=19), x)]


def _dilation(tf: Any) -> Any:
    x, f = tf.constant(_image(1, 5, 6, 2)), tf.constant(_image(2, 3, 2, period=7))
    y = tf.nn.dilation2d(x, f, [1, 1, 2, 1], [1, 2, 1, 1], "SAME")
    return [y, *tf.gradients(y * _image(*y.shape.as_list(), period=19), [x, f])]


_LABELS = ([[0, 0], [0, 1], [0, 2], [1, 0], [1, 1]], [1, 1, 0, 2, 3], [2, 3])


def _ctc_loss(**arguments: Any) -> Callable[[Any], Any]:
    def build(tf: Any) -> Any:
        indices, values, shape = _LABELS
        labels = tf.SparseTensor(np.array(indices, np.int64), np.array(values, np.int32), np.array(shape, np.int64))
        logits = tf.constant(_image(6, 2, 5))
        loss = tf.nn.ctc_loss(labels, logits, [6, 4], **arguments)
        return [loss, *tf.gradients(loss * np.float32([1, 3]), logits)]

    return build


def _ctc_decoder(function: str, **arguments: Any) -> Callable[[Any], Any]:
    def build(tf: Any) -> Any:
        decoded, scores = getattr(tf.nn, function)(_image(7, 2, 4), np.array([7, 5], np.int32), **arguments)
        return [part for d in decoded for part in (d.indices, d.values, d.dense_shape)] + [scores]

    return build


def _sampled_loss(function: str, **arguments: Any) -> Callable[[Any], Any]:
    def build(tf: Any) -> Any:
        w, b = tf.constant(_image(20, 3) / 4), tf.constant(_image(20) / 8)
        x = tf.constant(_image(2, 3, period=7))
        if function == "sampled_softmax_loss":
            arguments["seed"] = 4
        else:
            sampler = tf.nn.log_uniform_candidate_sampler(_CLASSES, 2, 6, True, 20, seed=4)
            arguments["sampled_values"] = sampler
        loss = getattr(tf.nn, function)(w, b, tf.constant(_CLASSES), x, 6, 20, num_true=2, **arguments)
        gradients = [tf.convert_to_tensor(g) for g in tf.gradients(loss, [w, b, x])]
        return [loss, *gradients]

    return build


def _dense_ctc_loss(**arguments: Any) -> Callable[[Any], Any]:
    def build(tf: Any) -> Any:
        logits = tf.constant(_image(6, 4, 5) / 4)
        labels = tf.constant([[1, 2, 2], [3, 0, 0], [4, 4, 4], [0, 0, 0]])
        loss = tf.nn.ctc_loss_v2(labels, logits, [3, 1, 3, 0], [6, 4, 5, 3], **arguments)
        return [loss, tf.gradients(loss, logits)[0]]

    return build


def _random_gamma(tf: Any) -> Any:
    alpha, beta = tf.constant([[0.3], [1.0], [7.5]]), tf.constant([0.5, 2.0])
    samples = tf.random_gamma([5], alpha, beta, seed=3)
    return [samples, *tf.gradients(tf.square(samples), [alpha, beta])]


def _igamma(tf: Any) -> Any:
    a, x = tf.constant([[0.3], [2.0], [40.0]]), tf.constant([0.1, 1.5, 38.0, 60.0])
    return [g for f in (tf.igamma, tf.igammac) for g in tf.gradients(f(a, x), [a, x])]


def _crossed(tf: Any) -> Any:
    """The op itself: TensorFlow 2 has no other function of it."""
    places, shape = [[0, 0], [0, 1], [2, 0]], [3, 2]
    words, numbers = tf.constant(["a", "bc", ""]), tf.constant([7, -1, 2**40], tf.int64)
    attrs = {"hashed_output": True, "out_type": tf.int64, "internal_type": tf.int64, "hash_key": 0xDECAFCAFFE}
    fetches = []
    for buckets in (0, 1000):
        crossed = tf.raw_ops.SparseCross(
            indices=[places, places],
            values=[words, numbers],
            shapes=[shape, shape],
            dense_inputs=[tf.constant([["x"], ["y"], ["z"]]), tf.constant([[1, 2], [3, 4], [5, 6]], tf.int64)],
            num_buckets=buckets,
            **attrs,
        )
        fetches += crossed
    return fetches


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "sampler/uniform": _sampler("uniform", False),
    "sampler/uniform/unique": _sampler("uniform", True),
    "sampler/log_uniform": _sampler("log_uniform", False),
    "sampler/log_uniform/unique": _sampler("log_uniform", True),
    "sampler/learned_unigram": _sampler("learned_unigram", False),
    "sampler/learned_unigram/unique": _sampler("learned_unigram", True),
    "sampler/fixed_unigram": _sampler("fixed_unigram", False, unigrams=_WEIGHTS),
    "sampler/fixed_unigram/unique": _sampler("fixed_unigram", True, unigrams=_WEIGHTS, distortion=0.75),
    "sampler/fixed_unigram/reserved": _sampler("fixed_unigram", True, unigrams=_WEIGHTS[3:], num_reserved_ids=3),
    "accidental_hits": lambda tf: tf.nn.compute_accidental_hits(_CLASSES, np.array([3, 12, 1, 5, 1]), num_true=2),
    **{
        f"fractional/{kind}/{name}": _fractional(kind, *settings)
        for kind in ("max", "avg")
        for name, settings in _FRACTIONS.items()
    },
    **{
        f"{function}/{padding}": _pool(function, padding)
        for function in ("max_pool", "avg_pool")
        for padding in ("SAME", "VALID")
    },
    "max_pool3d": _pool3d("max_pool3d"),
    "avg_pool3d": _pool3d("avg_pool3d"),
    "fused_batch_norm/training": _batch_norm(True),
    "fused_batch_norm/inference": _batch_norm(False),
    "lrn": _lrn,
    "dilation2d": _dilation,
    "ctc_loss": _ctc_loss(),
    "ctc_loss/apart": _ctc_loss(ctc_merge_repeated=False),
    "ctc_loss/collapsed": _ctc_loss(preprocess_collapse_repeated=True),
    "ctc_loss_v2": _dense_ctc_loss(),
    "random_gamma": _random_gamma,
    "igamma": _igamma,
    "sparse_cross": _crossed,
    "ctc_greedy_decoder": _ctc_decoder("ctc_greedy_decoder"),
    "ctc_greedy_decoder/apart": _ctc_decoder("ctc_greedy_decoder", merge_repeated=False),
    "ctc_beam_search_decoder": _ctc_decoder("ctc_beam_search_decoder", beam_width=20, top_paths=3),
    "ctc_beam_search_decoder/apart": _ctc_decoder(
        "ctc_beam_search_decoder", beam_width=5, top_paths=2, merge_repeated=False
    ),
    "nce_loss": _sampled_loss("nce_loss"),
    "sampled_softmax_loss": _sampled_loss("sampled_softmax_loss"),
    "sampled_softmax_loss/hits": _sampled_loss("sampled_softmax_loss", remove_accidental_hits=False),
}


def describe(tf: Any, case: str) -> list[list[Any]]:
    """What two runs of a program in one session give."""
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        fetches = list(PROGRAMS[case](tf))
        with tf.Session() as session:
            return [[np.asarray(v).tolist() for v in session.run(fetches)] for _ in range(2)]
