"""Programs of functions that make several operations: odd shapes, unknown static shapes, empty tensors, NaN."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
from differential.writing import Data, Writer, array, at, program as make_program, tf

_SIZES = (0, 1, 1, 2, 3, 4)
_ODD = (float("nan"), float("inf"), float("-inf"), -0.0, 1e30)


class _Call:
    """The arguments of one call: it makes inputs, some of them fed."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.writer = Writer()
        self.feed: list[Data] = []
        self.reals: list[Data] = []
        self.dtype = rng.choice(("float32", "float64"))

    def sizes(self, rank: int) -> list[int]:
        return [self.rng.choice(_SIZES) for _ in range(rank)]

    def _input(self, values: Any, dtype: str) -> Data:
        data = array(values, dtype)
        kind = self.rng.random()
        if kind < 0.3:
            return self.writer.call("constant", data)
        shape = list(np.shape(values))
        static: Data = {"shape": None if kind > 0.85 else [self.rng.choice((n, n, None)) for n in shape]}
        fed = self.writer.call("placeholder", tf(dtype), static)
        self.feed.append([fed, data])
        return fed

    def real(self, shape: list[int], low: float = -2.0, high: float = 2.0) -> Data:
        numbers = np.random.RandomState(self.rng.randrange(1 << 30)).uniform(low, high, shape)
        if numbers.size and self.rng.random() < 0.1:
            numbers.reshape(-1)[self.rng.randrange(numbers.size)] = self.rng.choice(_ODD)
        made = self._input(numbers, self.dtype)
        self.reals.append(made)
        return made

    def whole(self, shape: list[int], low: int, high: int, dtype: str = "int32") -> Data:
        numbers = np.random.RandomState(self.rng.randrange(1 << 30)).randint(low, high, shape)
        return self._input(numbers, dtype)

    def truth(self, shape: list[int]) -> Data:
        return self._input(np.random.RandomState(self.rng.randrange(1 << 30)).randint(0, 2, shape), "bool")

    def axis(self, rank: int) -> int:
        return self.rng.randint(-rank - (self.rng.random() < 0.1), max(rank - 1, 0))


def _reduction(c: _Call) -> Data:
    name = c.rng.choice(("sum", "mean", "max", "min", "prod", "logsumexp", "std", "variance", "euclidean_norm"))
    prefix = "math.reduce_" if name in ("std", "variance", "euclidean_norm") else "reduce_"
    rank = c.rng.randint(0, 3)
    options = {"keepdims": True} if c.rng.random() < 0.3 else {}
    axis = c.rng.choice((None, c.axis(rank), [c.axis(rank)] if rank else []))
    return c.writer.call(prefix + name, c.real(c.sizes(rank)), axis, **options)


def _tensordot(c: _Call) -> Data:
    inner = c.sizes(c.rng.randint(0, 2))
    a, b = c.sizes(c.rng.randint(0, 2)) + inner, inner + c.sizes(c.rng.randint(0, 2))
    axes: Data = len(inner)
    if inner and c.rng.random() < 0.5:
        axes = [list(range(-len(inner), 0)), list(range(len(inner)))]
    return c.writer.call("tensordot", c.real(a), c.real(b), axes)


def _clip(c: _Call) -> Data:
    name = c.rng.choice(("value", "norm", "global_norm"))
    x = c.real(c.sizes(c.rng.randint(0, 3)))
    if name == "value":
        return c.writer.call("clip_by_value", x, -0.5, 1.0)
    if name == "norm":
        return c.writer.call("clip_by_norm", x, 1.5, **({"axes": [0]} if c.rng.random() < 0.3 else {}))
    return at(c.writer.call("clip_by_global_norm", [x, c.real(c.sizes(1))], 1.5), 0, 0)


def _mask(c: _Call) -> Data:
    rank = c.rng.randint(1, 3)
    shape = c.sizes(rank)
    masked = c.rng.randint(1, rank)
    return c.writer.call("boolean_mask", c.real(shape), c.truth(shape[:masked]))


def _moments(c: _Call) -> Data:
    rank = c.rng.randint(1, 3)
    shape = c.sizes(rank)
    axes = sorted({c.rng.randrange(rank) for _ in range(2)})
    if c.rng.random() < 0.4:
        return c.writer.call("nn.weighted_moments", c.real(shape), axes, c.real(shape, 0.1, 1.0))
    return c.writer.call("nn.moments", c.real(shape), axes, **({"keep_dims": True} if c.rng.random() < 0.3 else {}))


def _norm(c: _Call) -> Data:
    rank = c.rng.randint(1, 3)
    order = c.rng.choice(("euclidean", 1, 2, float("inf"), 3.0))
    if c.rng.random() < 0.3:
        return c.writer.call("nn.l2_normalize", c.real(c.sizes(rank)), c.axis(rank))
    return c.writer.call("norm", c.real(c.sizes(rank)), order if order != float("inf") else 2, c.axis(rank))


def _entropy(c: _Call) -> Data:
    classes = c.rng.choice((1, 2, 3))
    shape = c.sizes(c.rng.randint(1, 2))
    kind = c.rng.choice(("softmax", "sparse", "sigmoid", "weighted"))
    logits = c.real([*shape, classes])
    if kind == "sparse":
        labels = c.whole(shape, 0, classes + (c.rng.random() < 0.1))
        return c.writer.call("nn.sparse_softmax_cross_entropy_with_logits", labels=labels, logits=logits)
    labels = c.real([*shape, classes], 0.0, 1.0)
    if kind == "weighted":
        return c.writer.call("nn.weighted_cross_entropy_with_logits", labels, logits, 0.7)
    name = "softmax_cross_entropy_with_logits_v2" if kind == "softmax" else "sigmoid_cross_entropy_with_logits"
    return c.writer.call(f"nn.{name}", labels=labels, logits=logits)


def _parts(c: _Call) -> Data:
    rank = c.rng.randint(1, 3)
    shape = c.sizes(rank)
    kind = c.rng.choice(("split", "unstack", "stack", "meshgrid", "one_hot", "where", "sequence_mask", "squeeze"))
    if kind == "split":
        return c.writer.call("split", c.real(shape), c.rng.choice((1, 2, shape[0])), c.axis(rank))
    if kind == "unstack":
        return c.writer.call("unstack", c.real(shape), axis=c.axis(rank))
    if kind == "stack":
        return c.writer.call("stack", [c.real(shape), c.real(shape)], axis=c.axis(rank))
    if kind == "meshgrid":
        return c.writer.call("meshgrid", c.real(shape[:1]), c.real(c.sizes(1)))
    if kind == "one_hot":
        return c.writer.call("one_hot", c.whole(shape, -1, 4), 3, axis=c.axis(rank))
    if kind == "where":
        return c.writer.call("where", c.truth(shape))
    if kind == "sequence_mask":
        return c.writer.call("sequence_mask", c.whole(shape, 0, 4), c.rng.choice((None, 3)))
    return c.writer.call("squeeze", c.real(shape), c.rng.choice((None, [c.axis(rank)])))


def _picture(c: _Call) -> Data:
    shape = [c.rng.choice((1, 2)), c.rng.choice((1, 3, 4)), c.rng.choice((1, 2, 5)), 3][c.rng.choice((0, 1)) :]
    x = c.real(shape, 0.0, 1.0)
    name = c.rng.choice(
        (
            "flip_left_right",
            "flip_up_down",
            "adjust_contrast",
            "adjust_hue",
            "adjust_saturation",
            "resize",
            "pad",
            "crop",
        )
    )
    if name == "resize":
        return c.writer.call("image.resize_images", x, [c.rng.choice((1, 3)), 4], c.rng.choice((0, 1, 2, 3)))
    if name == "pad":
        return c.writer.call("image.resize_image_with_crop_or_pad", x, c.rng.choice((1, 4, 6)), 3)
    if name == "crop":
        return c.writer.call("image.central_crop", x, c.rng.choice((0.3, 0.5, 1.0)))
    return c.writer.call(f"image.{name}", x, *([0.4] if name.startswith("adjust") else []))


def _segments(c: _Call) -> Data:
    rows = c.rng.choice(_SIZES)
    data = c.real([rows, *c.sizes(c.rng.randint(0, 1))])
    name = c.rng.choice(("sum", "mean", "max", "min", "prod", "sqrt_n"))
    ids = c.whole([rows], -1 if c.rng.random() < 0.2 else 0, 4)
    return c.writer.call(f"math.unsorted_segment_{name}", data, ids, c.rng.choice((4, 5)))


def _confusion(c: _Call) -> Data:
    rows = c.rng.choice(_SIZES)
    options = {"weights": c.real([rows], 0.0, 1.0)} if c.rng.random() < 0.3 else {}
    if options:
        options["dtype"] = tf(c.dtype)
    return c.writer.call("confusion_matrix", c.whole([rows], 0, 3), c.whole([rows], 0, 3), 3, **options)


_KINDS: tuple[Callable[[_Call], Data], ...] = (
    *(_reduction, _tensordot, _clip, _mask, _moments, _norm, _entropy, _parts, _parts, _picture, _segments),
    _confusion,
)


def program(number: int) -> dict[str, Any]:
    """The program of a number."""
    rng = random.Random(number)
    kind = rng.choice(_KINDS)
    call = _Call(rng)
    result = kind(call)
    runs: list[Data] = [{"fetch": result, "feed": call.feed}]
    if call.reals and kind not in (_parts, _confusion):
        writer = call.writer
        leaves = [result] if kind is not _moments else [at(result, 0), at(result, 1)]
        # The sum of the cubes: that of squares is constant for what is normalized.
        cubes = [writer.call("multiply", writer.call("square", leaf), leaf) for leaf in leaves]
        total = writer.call("add_n", [writer.call("reduce_sum", cube) for cube in cubes])
        gradients = writer.call("gradients", total, call.reals[:1])
        runs.append({"fetch": writer.call("convert_to_tensor", at(gradients, 0)), "feed": call.feed})
    return make_program(f"function {kind.__name__[1:]}", call.writer, runs)
