"""Programs of several ops in a row, with conditionals, loops and TensorArrays, and their gradients."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
from differential.writing import Data, Writer, array, at, pair, program as make_program, tf

Shape = tuple[int, ...]
Value = tuple[Data, Shape]

# What conditions compare sums with. Sums of what is centered are zero but for rounding, which must not decide.
_BOUND = 0.05
_SMOOTH = ("tanh", "sigmoid", "sin", "cos", "square", "nn.softplus", "nn.elu", "identity", "negative", "atan", "erf")


class _Chain:
    """Writes a random chain of ops whose shapes are known."""

    def __init__(self, writer: Writer, rng: random.Random, dtype: str) -> None:
        self.writer, self.rng, self.dtype = writer, rng, dtype

    def _constant(self, shape: Shape) -> Data:
        numbers = np.random.RandomState(self.rng.randrange(1 << 30)).uniform(-1, 1, shape)
        return self.writer.call("constant", array(np.asarray(numbers, self.dtype)), dtype=tf(self.dtype))

    def same_shape(self, value: Value) -> Value:
        """An op that keeps the shape."""
        x, shape = value
        call, rng = self.writer.call, self.rng
        rank = len(shape)
        choices: list[Callable[[], Data]] = [
            lambda: call(rng.choice(_SMOOTH), x),
            lambda: call(rng.choice(("add", "multiply", "subtract", "squared_difference")), x, self._constant(shape)),
            lambda: call("divide", x, call("add", call("square", self._constant(shape)), 1.0)),
            lambda: call("sqrt", call("add", call("square", x), 1.0)),
            lambda: call("operator:add", x, x),
            lambda: call("stop_gradient", x) if rng.random() < 0.1 else call("exp", call("multiply", x, 0.3)),
        ]
        if rank:
            axis = rng.randrange(-rank, rank)
            choices += [
                lambda: call("cumsum", x, axis=axis, exclusive=rng.random() < 0.5, reverse=rng.random() < 0.5),
                lambda: call("reverse", x, [axis]),
                lambda: call("nn.softmax", x, axis=axis),
                lambda: call("nn.log_softmax", x, axis=axis),
                lambda: call("nn.l2_normalize", x, axis),
                lambda: call("subtract", x, call("reduce_mean", x, axis=axis, keepdims=True)),
                lambda: call("roll", x, 1, axis),
                lambda: call("concat", [x], axis),
                lambda: call("multiply", x, self._constant(shape[rng.randrange(rank) :])),
            ]
        if rank >= 2 and shape[-1]:
            choices += [
                lambda: call("tensordot", x, self._constant((shape[-1], shape[-1])), 1),
                lambda: call("matrix_band_part", x, 1, 0),
            ]
        return rng.choice(choices)(), shape

    def step(self, value: Value) -> Value:
        """Any op."""
        x, shape = value
        call, rng, rank = self.writer.call, self.rng, len(value[1])
        kind = rng.choice(
            (
                "same",
                "same",
                "same",
                "reshape",
                "transpose",
                "slice",
                "gather",
                "reduce",
                "tile",
                "pad",
                "expand",
                "stack",
                "concat",
                "matmul",
                "split",
                "cond",
                "while",
                "map",
                "scan",
                "array",
                "segment",
                "scatter",
                "where",
                "mask",
                "foldl",
                "case",
                "nested",
            )
        )
        if kind == "reshape":
            return call("reshape", x, [-1]), (int(np.prod(shape)),)
        if rank == 0 or 0 in shape or kind == "same":
            return self.same_shape(value)
        axis = rng.randrange(rank)
        if kind == "transpose":
            order = list(range(rank))
            rng.shuffle(order)
            return call("transpose", x, order), tuple(shape[i] for i in order)
        if kind == "slice":
            bounds: list[Data] = []
            new: list[int] = []
            for n in shape:
                start, stop, step = rng.choice(
                    ((None, None, 1), (0, n, 1), (None, None, -1), (1, None, 2), (None, -1, 1))
                )
                bounds.append({"slice": [start, stop, step]})
                new.append(len(range(*slice(start, stop, step).indices(n))))
            return call("operator:getitem", x, pair(*bounds)), tuple(new)
        if kind == "gather":
            indices = [rng.randrange(shape[axis]) for _ in range(rng.choice((1, 2, 5)))]
            return call("gather", x, indices, axis=axis), (*shape[:axis], len(indices), *shape[axis + 1 :])
        if kind == "reduce":
            keep = rng.random() < 0.5
            name = rng.choice(
                ("reduce_sum", "reduce_mean", "reduce_max", "reduce_logsumexp", "reduce_prod", "reduce_min")
            )
            kept = (*shape[:axis], *((1,) if keep else ()), *shape[axis + 1 :])
            return call(name, x, axis=axis - rank * (rng.random() < 0.3), keepdims=keep), kept
        if kind == "tile" and np.prod(shape) < 60:
            multiples = [rng.choice((1, 1, 2)) for _ in shape]
            return call("tile", x, multiples), tuple(n * m for n, m in zip(shape, multiples, strict=True))
        if kind == "pad":
            pads = [[rng.choice((0, 1)), rng.choice((0, 0, 1))] for _ in shape]
            mode = "REFLECT" if min(shape) > 1 and rng.random() < 0.3 else "CONSTANT"
            return call("pad", x, pads, mode=mode), tuple(n + a + b for n, (a, b) in zip(shape, pads, strict=True))
        if kind == "expand":
            return call("expand_dims", x, axis), (*shape[:axis], 1, *shape[axis:])
        if kind == "stack":
            return call("stack", [x, self.same_shape(value)[0]], axis=axis), (*shape[:axis], 2, *shape[axis:])
        if kind == "concat":
            other = self.same_shape(value)[0]
            return call("concat", [x, other, x], axis), (*shape[:axis], 3 * shape[axis], *shape[axis + 1 :])
        if kind == "matmul" and rank >= 2:
            other = self._constant((*shape[:-2], shape[-1], 3))
            return call("matmul", x, other), (*shape[:-1], 3)
        if kind == "split" and shape[axis] % 2 == 0:
            parts = call("split", x, 2, axis=axis)
            half = (*shape[:axis], shape[axis] // 2, *shape[axis + 1 :])
            return call("subtract", at(parts, 1), call("square", at(parts, 0))), half
        if kind == "segment":
            ids = sorted(rng.randrange(3) for _ in range(shape[0]))
            name = rng.choice(("segment_sum", "segment_mean", "segment_max"))
            return call(name, x, ids), (ids[-1] + 1, *shape[1:])
        if kind == "scatter":
            indices = [[rng.randrange(4)] for _ in range(shape[0])]
            return call("scatter_nd", indices, x, [4, *shape[1:]]), (4, *shape[1:])
        if kind == "where":
            other = self.same_shape(value)[0]
            return call("where", call("greater", other, 0.1), x, other), shape
        if kind == "mask":
            mask = [True] + [rng.random() < 0.5 for _ in range(shape[0] - 1)]
            return call("boolean_mask", x, mask), (sum(mask), *shape[1:])
        return self._flow(kind, value)

    def _inner(self, writer: Writer, value: Value, count: int = 2) -> Data:
        chain = _Chain(writer, self.rng, self.dtype)
        for _ in range(self.rng.randint(1, count)):
            value = chain.same_shape(value)
        return value[0]

    def _flow(self, kind: str, value: Value) -> Value:
        x, shape = value
        writer, rng = self.writer, self.rng
        call = writer.call
        if kind in ("cond", "nested"):
            branch = [writer.function(0, lambda w: self._branch(w, value, kind == "nested")) for _ in range(2)]
            return call("cond", call("greater", call("reduce_sum", x), rng.choice((_BOUND, -100.0))), *branch), shape
        if kind == "case":
            function = writer.function(0, lambda w: self._inner(w, value))
            default = writer.function(0, lambda w: self._inner(w, value))
            condition = call("less", call("reduce_mean", x), _BOUND)
            return call("case", [pair(condition, function)], default=default), shape
        if kind == "while":
            times = rng.choice((0, 1, 3))
            condition = writer.function(2, lambda w, i, y: w.call("less", i, times))
            body = writer.function(2, lambda w, i, y: [w.call("add", i, 1), self._inner(w, (y, shape))])
            more: dict[str, Data] = {}
            if rng.random() < 0.3:
                more["shape_invariants"] = [{"shape": []}, {"shape": [None for _ in shape]}]
            if rng.random() < 0.3:
                more["parallel_iterations"] = 1
            if rng.random() < 0.2:
                more["maximum_iterations"] = 2
            return at(call("while_loop", condition, body, [call("constant", 0), x], **more), 1), shape
        if kind == "map":
            return call("map_fn", writer.function(1, lambda w, y: self._inner(w, (y, shape[1:]))), x), shape
        if kind == "scan":
            body = writer.function(2, lambda w, a, y: w.call("add", self._inner(w, (a, shape[1:]), 1), y))
            return call("scan", body, x, **({"reverse": True} if rng.random() < 0.3 else {})), shape
        if kind == "foldl":
            body = writer.function(2, lambda w, a, y: w.call("multiply", w.call("tanh", a), y))
            return call(rng.choice(("foldl", "foldr")), body, x), shape[1:]
        if kind == "array":
            return self._tensor_array(value)
        return self.same_shape(value)

    def _branch(self, writer: Writer, value: Value, nested: bool) -> Data:
        if nested:
            chain = _Chain(writer, self.rng, self.dtype)
            return chain._flow(self.rng.choice(("cond", "while", "map", "scan", "array")), value)[0]
        return self._inner(writer, value)

    def _tensor_array(self, value: Value) -> Value:
        x, shape = value
        call, rng = self.writer.call, self.rng
        options = {"clear_after_read": False} if rng.random() < 0.5 else {}
        ta = call("TensorArray", tf(self.dtype), shape[0], **options)
        way = rng.choice(("unstack", "loop", "scatter", "concat"))
        if way == "unstack":
            ta = call(".unstack", ta, x)
            return call(".stack", ta), shape
        if way == "scatter":
            order = list(range(shape[0]))
            rng.shuffle(order)
            ta = call(".scatter", ta, order, x)
            return call(".gather", ta, order), shape
        if way == "concat" and len(shape) >= 2:
            return call(".concat", call(".unstack", ta, x)), (shape[0] * shape[1], *shape[2:])
        condition = self.writer.function(2, lambda w, i, a: w.call("less", i, shape[0]))
        body = self.writer.function(
            2,
            lambda w, i, a: [
                w.call("add", i, 1),
                w.call(".write", a, i, self._inner(w, (w.call("gather", x, i), shape[1:]))),
            ],
        )
        return call(".stack", at(call("while_loop", condition, body, [call("constant", 0), ta]), 1)), shape


def program(number: int) -> dict[str, Any]:
    """The program of a number."""
    rng = random.Random(number)
    dtype = rng.choice(("float64", "float64", "float32"))
    writer = Writer()
    chain = _Chain(writer, rng, dtype)
    sources, feed = [], []
    shapes: list[Shape] = []
    for _ in range(rng.choice((1, 1, 2))):
        shape = tuple(rng.choice((1, 2, 3, 4)) for _ in range(rng.choice((0, 1, 2, 2, 3))))
        static = rng.choice((list(shape), list(shape), None, [None for _ in shape], [None, *shape[1:]][: len(shape)]))
        x = writer.call("placeholder", tf(dtype), {"shape": static})
        numbers = np.random.RandomState(rng.randrange(1 << 30)).uniform(-1.5, 1.5, shape)
        feed.append([x, array(np.asarray(numbers, dtype))])
        sources.append(x)
        shapes.append(shape)
    results: list[Data] = []
    for x, shape in zip(sources, shapes, strict=True):
        value = (x, shape)
        for _ in range(rng.randint(1, 5)):
            value = chain.step(value)
        results.append(value[0])
    total = writer.call("add_n", [writer.call("reduce_sum", writer.call("square", result)) for result in results])
    gradients = writer.call("gradients", total, sources)
    dense = [writer.call("convert_to_tensor", at(gradients, place)) for place in range(len(sources))]
    runs: list[Data] = [{"fetch": [*results, *dense], "feed": feed}]
    if rng.random() < 0.2:
        first = writer.call("add_n", [writer.call("reduce_sum", writer.call("square", dense[0]))])
        second = writer.call("gradients", first, sources)
        runs.append({"fetch": [second], "feed": feed})
    if dtype == "float64" and rng.random() < 0.3:
        runs.append({"fetch": total, "differences": sources, "of": [0, len(sources)], "feed": feed})
    return make_program("chain", writer, runs)
