"""Records of ops that graphs have and no public function makes, or makes only for some arguments: by their types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from ops.cases.record import (
    ANYTHING,
    COMPLEX,
    FLOATS,
    INTEGERS,
    NUMBERS,
    REAL_FLOATS,
    Given,
    Input,
    Record,
    Values,
    Variant,
    call,
)

from ferroflow._src.framework.apply import apply_op

_DOUBLES = ("float32", "float64")
_SHAPED_BY_VALUES = (
    "BatchToSpace",
    "Bincount",
    "BroadcastGradientArgs",
    "ConjugateTranspose",
    "LinSpace",
    "PlaceholderWithDefault",
    "SpaceToBatch",
    "SparseSegment",
    "TileGrad",
    "UniqueV2",
    "UniqueWithCounts",
    "UniqueWithCountsV2",
    "UnsortedSegment",
)


def _op(op_type: str, **attrs: Any) -> Callable[..., Any]:
    def function(*inputs: Any) -> Any:
        outputs = list(apply_op(op_type, list(inputs), attrs or None).outputs)
        return outputs[0] if len(outputs) == 1 else outputs

    return function


def _row(
    op_type: str,
    reference: Callable[..., Any],
    inputs: tuple[Input, ...],
    dtypes: tuple[str, ...] = _DOUBLES,
    differentiable: tuple[int, ...] = (),
    returns: Any = None,
    **attrs: Any,
) -> Record:
    return Record(
        name=op_type,
        function=_op(op_type, **attrs),
        reference=reference,
        variants=(Variant(inputs),),
        dtypes=dtypes,
        returns=returns,
        differentiable=differentiable,
        lossy=True,
        value_decides_shape=op_type.startswith(_SHAPED_BY_VALUES),
    )


def _ascent(version: str, adaptive: str) -> Record:
    """Two examples without a common feature, so that their order does not count."""
    features, labels = np.diag(np.array([1.0, 2.0])), np.array([1.0, -2.0])

    def function(weights: Any, state: Any) -> Any:
        return list(
            apply_op(
                f"SdcaOptimizer{version}",
                [[], [], [], [features], [1.0, 1.0], labels, [], [], [weights], state],
                {
                    "loss_type": "squared_loss",
                    adaptive: False,
                    "l1": 0.0,
                    "l2": 1.0,
                    "num_loss_partitions": 1,
                    "num_inner_iterations": 1,
                },
            ).outputs
        )

    def reference(weights: Any, state: Any) -> Any:
        predictions, norms, duals = features @ weights, (features**2).sum(1), state[:, 0]
        new = duals + (labels - duals - predictions) / (1 + norms)
        losses = [(predictions - labels) ** 2 / 2, duals * (duals / 2 - labels)]
        return np.stack([new, *losses, np.ones(2)], 1), features @ (new - duals)

    return Record(
        name=f"SdcaOptimizer{version}",
        function=function,
        reference=reference,
        variants=(Variant((Values((2,)), Values((2, 4)))),),
        dtypes=("float32",),
        value_decides_shape=True,
    )


def _list(op_type: str, count: int, **attrs: Any) -> Callable[..., Any]:
    """An op whose first `count` inputs are one list."""

    def function(*inputs: Any) -> Any:
        outputs = list(apply_op(op_type, [list(inputs[:count]), *inputs[count:]], attrs or None).outputs)
        return outputs[0] if len(outputs) == 1 else outputs

    return function


def _segments(scale: Callable[[int], float]) -> Callable[..., Any]:
    """The sums of the rows of `data` at `indices` by segment, each times a number that its count of rows decides."""

    def reference(data: Any, indices: Any, ids: Any, segments: Any = None) -> Any:
        out = np.zeros((int(ids.max()) + 1 if segments is None else int(segments), *data.shape[1:]), data.dtype)
        for segment in range(len(out)):
            rows = data[indices[ids == segment]]
            if len(rows):
                out[segment] = rows.sum(0) * scale(len(rows))
        return out

    return reference


def _segments_back(scale: Callable[[int], float]) -> Callable[..., Any]:
    def reference(grad: Any, indices: Any, ids: Any, rows: Any) -> Any:
        out = np.zeros((int(rows), *grad.shape[1:]), grad.dtype)
        for index, segment in zip(indices, ids, strict=True):
            out[index] += grad[segment] * scale(int((ids == segment).sum()))
        return out

    return reference


def _unsorted(join: Callable[..., Any], empty: Callable[[Any], Any]) -> Callable[..., Any]:
    def reference(data: Any, ids: Any, segments: Any) -> Any:
        rows = [data[ids == s] for s in range(int(segments))]
        return np.stack([join(r, axis=0) if len(r) else np.full(data.shape[1:], empty(data)) for r in rows])

    return reference


_SCALES: dict[str, Callable[[int], float]] = {
    "Sum": lambda n: 1.0,
    "Mean": lambda n: 1.0 / n,
    "SqrtN": lambda n: float(n) ** -0.5,
}
_PICKED = (Values((5, 3)), Given([4, 0, 2, 0]), Given([0, 0, 1, 2]))
_UNSORTED = (Values((5, 3), 0.5, 2.0), Given([2, 0, 2, 0, 1]), Given(3))
# An image, a filter of one place, and a gradient of the result.
_VOLUMES = (Values((2, 3, 3, 3, 2)), Values((1, 1, 1, 2, 4)), Values((2, 3, 3, 3, 4)))
_PAIR = (Values((4, 3), 0.5, 2.0), Values((3,), 0.5, 2.0))
_SAME = (Values((4, 3), 0.5, 2.0), Values((4, 3), 0.5, 2.0))
_MATRIX = Values((4, 3))

RECORDS = [
    _row("AddV2", np.add, _PAIR, NUMBERS, (0, 1)),
    _row("Div", np.divide, _PAIR, FLOATS, (0, 1)),
    _row("Mod", np.fmod, (Values((4, 3), -9, 9), Values((3,), 1, 4)), ("float32", "float64", *INTEGERS)),
    *(
        _row(
            "BatchNormWithGlobalNormalization",
            lambda t, m, v, beta, gamma, s=scales: (t - m) / np.sqrt(v + 0.0078125) * (gamma if s else 1) + beta,
            (Values((2, 3, 2, 4)), *[Values((4,), 0.5, 2.0)] * 4),
            differentiable=(0, 1, 2, 3, 4),
            variance_epsilon=0.0078125,
            scale_after_normalization=scales,
        )
        for scales in (True, False)
    ),
    _row("Inv", np.reciprocal, (Values((4, 3), 0.5, 2.0),), FLOATS, (0,)),
    _row("InvGrad", lambda y, dy: -dy * np.conj(y) * np.conj(y), _SAME, FLOATS, (0, 1)),
    _row("SoftplusGrad", lambda g, x: g / (1 + np.exp(-x)), _SAME, REAL_FLOATS, (0, 1)),
    _row("LeakyReluGrad", lambda g, x: np.where(x > 0, g, 0.2 * g), _SAME, REAL_FLOATS, (0,)),
    _row("OnesLike", np.ones_like, (_MATRIX,), ANYTHING),
    _row("Snapshot", lambda x: x, (_MATRIX,), ANYTHING, (0,)),
    _row(
        "Reverse",
        lambda x, axes: np.flip(x, np.flatnonzero(axes)),
        (_MATRIX, Given([True, False], "bool")),
        ANYTHING,
        (0,),
    ),
    _row("Gather", lambda x, i: x[i], (_MATRIX, Given([2, 0, 2])), ANYTHING, (0,)),
    _row(
        "ScatterNdNonAliasingAdd",
        lambda x, i, u: x + np.eye(4)[i[:, 0]].T.astype(x.dtype) @ u,
        (_MATRIX, Given([[1], [3]]), Values((2, 3))),
        _DOUBLES,
        (0, 2),
    ),
    _row("BatchMatMulV2", np.matmul, (Values((2, 4, 3)), Values((3, 5))), FLOATS, (0, 1)),
    _row("BiasAddV1", np.add, (Values((2, 4, 3)), Values((3,))), NUMBERS, (0, 1)),
    _row("SparseMatMul", np.matmul, (Values((4, 3)), Values((3, 5))), ("float32",)),
    _row(
        "InTopK",
        lambda p, t: np.array([True, False]),
        (Given([[0.1, 0.9], [0.8, 0.2]], "float32"), Given([1, 1])),
        ("float32",),
        (),
        "bool",
        k=1,
    ),
    # The beams cross at the second step; what follows an end token, 9, is one.
    _row(
        "GatherTree",
        lambda steps, parents, lengths, end: np.array([[[9, 1]], [[9, 3]], [[9, 5]]]),
        (
            Given([[[9, 1]], [[3, 4]], [[6, 5]]], "int32"),
            Given([[[0, 0]], [[1, 0]], [[1, 0]]], "int32"),
            Given([3], "int32"),
            Given(9, "int32"),
        ),
        ("int32",),
        (),
        "int32",
    ),
    _row(
        "TopK",
        lambda x: [-np.sort(-x, -1)[..., :2], np.argsort(-x, -1, kind="stable")[..., :2]],
        (Values((4, 5)),),
        _DOUBLES,
        (0,),
        (None, "int32"),
        k=2,
    ),
    _row("TileGrad", lambda x, m: x.reshape(2, 2, 3).sum(0), (Values((4, 3)), Given([2, 1])), NUMBERS),
    _row(
        "UniqueV2",
        lambda x, axis: [np.unique(x, axis=0), np.array([0, 1, 0])],
        (Given([[1, 2], [3, 4], [1, 2]]), Given([0], "int64")),
        ("int32",),
        (),
        (None, "int32"),
    ),
    _row(
        "UniqueWithCounts",
        lambda x: [np.array([3, 1, 2]), np.array([0, 1, 0, 2]), np.array([2, 1, 1])],
        (Given([3, 1, 3, 2]),),
        ("int32",),
        (),
        (None, "int32", "int32"),
    ),
    _row(
        "UniqueWithCountsV2",
        lambda x, axis: [np.array([3, 1, 2]), np.array([0, 1, 0, 2]), np.array([2, 1, 1])],
        (Given([3, 1, 3, 2]), Given([0], "int64")),
        ("int32",),
        (),
        (None, "int32", "int32"),
    ),
    _row("CheckNumerics", lambda x: x, (_MATRIX,), REAL_FLOATS, (0,), message="m"),
    _row("PlaceholderWithDefault", lambda x: x, (_MATRIX,), ANYTHING, (0,), shape=None),
    _row("BroadcastArgs", lambda x, y: np.array([4, 3]), (Given([4, 1]), Given([3])), ("int32",)),
    _row(
        "BroadcastGradientArgs",
        lambda x, y: [np.array([], np.int32), np.array([0])],
        (Given([4, 3]), Given([3])),
        ("int32",),
        (),
        ("int32", "int32"),
    ),
    _row("ConjugateTranspose", lambda x, p: np.conj(np.transpose(x, p)), (_MATRIX, Given([1, 0])), FLOATS, (0,)),
    _row("Rank", lambda x: np.int32(2), (_MATRIX,), ANYTHING, (), "int32"),
    _row("Roll", lambda x, s, a: np.roll(x, s, a), (_MATRIX, Given(1), Given(1)), ANYTHING, (0,)),
    _row(
        "LinSpace",
        lambda a, b, n: np.linspace(a, b, n),
        (Given(1.0, "float64"), Given(3.0, "float64"), Given(5)),
        ("float64",),
    ),
    _row(
        "SpaceToBatch",
        lambda x, p: x.reshape(1, 2, 2, 2, 2, 1).transpose(2, 4, 0, 1, 3, 5).reshape(4, 2, 2, 1),
        (Values((1, 4, 4, 1)), Given([[0, 0], [0, 0]])),
        ANYTHING,
        (0,),
        block_size=2,
    ),
    _row(
        "BatchToSpace",
        lambda x, c: x.reshape(2, 2, 1, 2, 2, 1).transpose(2, 3, 0, 4, 1, 5).reshape(1, 4, 4, 1),
        (Values((4, 2, 2, 1)), Given([[0, 0], [0, 0]])),
        ANYTHING,
        (0,),
        block_size=2,
    ),
    _row("LeakyRelu", lambda x: np.where(x > 0, x, 0.25 * x), (_MATRIX,), REAL_FLOATS, (0,), alpha=0.25),
    _row(
        "Bincount",
        lambda x, n, w: np.bincount(x, minlength=4).astype(np.int32),
        (Given([1, 2, 1]), Given(4), Given([])),
        ("int32",),
    ),
    _row(
        "Bucketize",
        lambda x: np.digitize(x, [-0.5, 0.25, 0.5]).astype(np.int32),
        (_MATRIX,),
        returns="int32",
        boundaries=[-0.5, 0.25, 0.5],
    ),
    *(_row(f"SparseSegment{kind}", _segments(scale), _PICKED, _DOUBLES, (0,)) for kind, scale in _SCALES.items()),
    *(
        _row(f"SparseSegment{kind}WithNumSegments", _segments(scale), (*_PICKED, Given(4)), _DOUBLES, (0,))
        for kind, scale in _SCALES.items()
    ),
    *(
        _row(f"SparseSegment{kind}Grad", _segments_back(_SCALES[kind]), (Values((3, 3)), *_PICKED[1:], Given(5)))
        for kind in ("Mean", "SqrtN")
    ),
    *(
        _row(
            f"UnsortedSegment{kind}",
            reference,
            (Values((5, 3), 0.5, 2.0), Given([2, 0, 2, 0, 1]), Given(3)),
            _DOUBLES,
            (0,),
        )
        for kind, reference in (
            ("Max", _unsorted(np.max, lambda x: -np.inf)),
            ("Min", _unsorted(np.min, lambda x: np.inf)),
            ("Prod", _unsorted(np.prod, lambda x: 1)),
        )
    ),
    _row(
        "Conv3DBackpropInput",
        lambda x, w, g: np.einsum("bijko,co->bijkc", g, w[0, 0, 0]),
        _VOLUMES,
        strides=[1] * 5,
        padding="SAME",
    ),
    _row(
        "Conv3DBackpropFilter",
        lambda x, w, g: np.einsum("bijkc,bijko->co", x, g)[None, None, None],
        _VOLUMES,
        strides=[1] * 5,
        padding="SAME",
    ),
    *(
        Record(
            name="Einsum",
            function=_list("Einsum", len(inputs), equation=equation),
            reference=lambda *x, e=equation: np.einsum(e, *x),
            variants=(call(*inputs),),
            dtypes=("float32", "float64", *COMPLEX),
            lossy=True,
        )
        for equation, inputs in (
            ("bij,bjk->kb", (Values((2, 4, 3)), Values((2, 3, 5)))),
            ("...ij,...jk->...ik", (Values((2, 4, 3)), Values((3, 5)))),
            ("iij->j", (Values((4, 4, 3)),)),
        )
    ),
    Record(
        name="Concat",
        function=lambda a, b: apply_op("Concat", [1, [a, b]]).outputs[0],
        reference=lambda a, b: np.concatenate([a, b], 1),
        variants=(call(Values((4, 3)), Values((4, 2))),),
        dtypes=ANYTHING,
        differentiable=(0, 1),
    ),
    Record(
        name="ShapeN",
        function=_list("ShapeN", 2),
        reference=lambda a, b: [np.array(a.shape), np.array(b.shape)],
        variants=(call(Values((4, 3)), Values((2,))),),
        dtypes=ANYTHING,
        returns=("int32", "int32"),
    ),
    Record(
        name="AccumulateNV2",
        function=_list("AccumulateNV2", 2, shape=[4, 3]),
        reference=np.add,
        variants=(call(Values((4, 3)), Values((4, 3))),),
        dtypes=NUMBERS,
        differentiable=(0, 1),
        needs="sizes",
    ),
    Record(
        name="ParallelConcat",
        function=_list("ParallelConcat", 2, shape=[2, 3]),
        reference=lambda a, b: np.concatenate([a, b]),
        variants=(call(Values((1, 3)), Values((1, 3))),),
        dtypes=ANYTHING,
        needs="sizes",
    ),
    Record(
        name="DynamicStitch",
        function=lambda a, b: apply_op("DynamicStitch", [[[0, 2], [1]], [a, b]]).outputs[0],
        reference=lambda a, b: np.stack([a[0], b[0], a[1]]),
        variants=(call(Values((2, 3)), Values((1, 3))),),
        dtypes=ANYTHING,
        differentiable=(0, 1),
    ),
    _ascent("", "adaptative"),
    _ascent("V2", "adaptive"),
]
