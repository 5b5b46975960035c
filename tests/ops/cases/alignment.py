"""Records of connectionist temporal classification, by a walk through all alignments, and of accidental hits."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import scipy.special
from ops.cases.record import Given, Record, Refused, Values, call

from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.ops.nn import candidate_sampling, ctc

_LABELS = [[0, 1], [1, 1], [2]]
_TIMES = [4, 4, 3]


def _labels() -> SparseTensor:
    places = [[b, i] for b, labels in enumerate(_LABELS) for i in range(len(labels))]
    values = np.array([label for labels in _LABELS for label in labels], np.int32)
    return SparseTensor(places, values, [len(_LABELS), 2])


def _collapsed(path: Any, blank: int, merges: bool = True) -> list[int]:
    kept = [c for c, _ in itertools.groupby(path)] if merges else list(path)
    return [int(c) for c in kept if c != blank]


def _loss(logits: Any, labels: Any = _LABELS, times: Any = _TIMES, blank: int | None = None) -> Any:
    """Minus the logarithm of the probability of all paths that collapse to the labels."""
    chances = scipy.special.softmax(logits, -1)
    classes = logits.shape[2]
    losses = []
    for b, (wanted, length) in enumerate(zip(labels, times, strict=True)):
        paths = itertools.product(range(classes), repeat=length)
        fitting = [p for p in paths if _collapsed(p, classes - 1 if blank is None else blank) == list(wanted)]
        total = sum(np.prod([chances[t, b, c] for t, c in enumerate(path)]) for path in fitting)
        losses.append(-np.log(total) if total > 0 else np.inf)
    return np.array(losses)


# Labels of the same sequences with the blank as class 0, the last one empty, and one too long for its times.
_DENSE = [[1, 2], [2, 2], [3, 0], [0, 0], [1, 1]]
_DENSE_LENGTHS = [2, 2, 1, 0, 2]
_DENSE_TIMES = [4, 4, 3, 2, 2]


def _dense_loss(logits: Any) -> Any:
    labels = [row[:n] for row, n in zip(_DENSE, _DENSE_LENGTHS, strict=True)]
    return _loss(logits, labels, _DENSE_TIMES, blank=0)


def _greedy(logits: Any, merge_repeated: bool = True) -> list[Any]:
    paths = [logits[:length, b].argmax(-1) for b, length in enumerate(_TIMES)]
    decoded = [_collapsed(path, logits.shape[2] - 1, merge_repeated) for path in paths]
    indices = [[b, i] for b, row in enumerate(decoded) for i in range(len(row))]
    scores = [[-logits[:length, b].max(-1).sum()] for b, length in enumerate(_TIMES)]
    shape = [len(decoded), max(map(len, decoded))]
    return [
        np.reshape(indices, (-1, 2)),
        np.array([c for row in decoded for c in row]),
        np.array(shape),
        np.array(scores),
    ]


def _decode(logits: Any, merge_repeated: bool = True) -> list[Any]:
    (found,), scores = ctc.ctc_greedy_decoder(logits, _TIMES, merge_repeated=merge_repeated)
    return [found.indices, found.values, found.dense_shape, scores]


def _hits(true_classes: Any, sampled: Any) -> list[Any]:
    # A class that is sampled twice counts at its last place.
    place_of = {candidate: place for place, candidate in enumerate(sampled)}
    found = [(row, place_of[c]) for row, classes in enumerate(true_classes) for c in classes if c in place_of]
    rows, places = zip(*found, strict=True)
    return [np.array(rows), np.array(places), np.full(len(found), -np.finfo(np.float32).max)]


RECORDS = [
    Record(
        name="ctc_loss",
        function=lambda logits: ctc.ctc_loss(_labels(), logits, _TIMES),
        reference=_loss,
        variants=(call(Values((4, 3, 4))),),
        dtypes=("float32",),
        lossy=True,
        refused=(Refused(lambda: ctc.ctc_loss([1], [[[1.0]]], [1]), TypeError, "SparseTensor"),),
    ),
    Record(
        name="ctc_loss_v2",
        function=lambda logits: ctc.ctc_loss_v2(_DENSE, logits, _DENSE_LENGTHS, _DENSE_TIMES),
        reference=_dense_loss,
        variants=(call(Values((4, 5, 4))),),
        dtypes=("float32",),
        lossy=True,
        needs="rank",
        refused=(Refused(lambda: ctc.ctc_loss_v2(_labels(), [[[1.0]]], None, [1]), ValueError, "blank_index"),),
    ),
    Record(
        name="ctc_greedy_decoder",
        function=_decode,
        reference=_greedy,
        variants=(call(Values((4, 3, 4))), call(Values((4, 3, 4)), merge_repeated=False)),
        dtypes=("float32",),
        returns=("int64", "int64", "int64", "float32"),
        value_decides_shape=True,
    ),
    Record(
        name="ctc_unique_labels",
        function=lambda labels: list(ctc.ctc_unique_labels(labels)),
        reference=lambda labels: [np.array([[3, 4, 0, 0], [0, 5, 0, 0]]), np.array([[0, 1, 1, 0], [0, 0, 1, 1]])],
        variants=(call(Given([[3, 4, 4, 3], [0, 0, 5, 5]])),),
        dtypes=("int32",),
        returns=("int64", "int32"),
        needs="rank",
    ),
    Record(
        name="collapse_repeated",
        function=lambda labels, lengths: list(ctc.collapse_repeated(labels, lengths)),
        reference=lambda labels, lengths: [np.array([[1, 2, 1], [7, 0, 0]]), np.array([3, 1])],
        variants=(call(Given([[1, 1, 2, 2, 1], [7, 7, 7, 0, 0]]), Given([5, 3])),),
        dtypes=("int32",),
        returns=("int32", "int32"),
        value_decides_shape=True,
        needs="rank",
    ),
    Record(
        name="compute_accidental_hits",
        function=lambda true, sampled: list(candidate_sampling.compute_accidental_hits(true, sampled, num_true=2)),
        reference=_hits,
        variants=(call(Given([[3, 5], [1, 9]], "int64"), Given([3, 12, 1, 5, 1], "int64")),),
        dtypes=("int64",),
        returns=("int32", "int64", "float32"),
        value_decides_shape=True,
    ),
]
