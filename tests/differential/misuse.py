"""Programs of one call with a wrong argument: of another type, dtype or rank, negative, huge, NaN, empty or unknown."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from differential import misuse_calls, misuse_layer_calls
from differential.misuse_calls import Input, Made, Sparse
from differential.surface_inputs import WORDS
from differential.writing import Data, Writer, array, program as make_program, tf

_LITERALS: tuple[Data, ...] = (
    *(None, True, -1, 0, 7, 1 << 31, -(1 << 40), 1 << 63, 1 << 70, 0.5, -1.5, 1e300),
    *({"tf": "float32.as_numpy_dtype"}, {"complex": [1.0, 2.0]}, float("nan"), float("inf")),
    *("", "x", {"bytes": "\xff"}, "a\x00b"),
    *([], [[]], [1, [2, 3]], [None], [-1], [0, 0], [1 << 40], [0.5], ["x"], [1, "x"], [1, 2, 3, 4, 5]),
    *({"dict": []}, {"dict": [["x", 1]]}, {"tuple": []}, {"ellipsis": None}, {"slice": [0, 1, None]}),
    *({"tf": "float32"}, {"tf": "string"}, {"tf": "int32"}, {"tf": "complex64"}, {"tf": "qint8"}, {"tf": "resource"}),
    *({"shape": None}, {"shape": [None, 2]}, {"tf": "Graph"}),
)
_FAMILIES = (*misuse_calls.FAMILIES, *misuse_layer_calls.FAMILIES)
# How often a call gives an argument that has a default.
_OPTION_SHARE = 0.3
_DTYPES = (
    *("float32", "float64", "float16", "int32", "int64", "uint8", "int8", "bool", "string", "complex64", "bfloat16"),
)
_RANKS: tuple[tuple[int, ...], ...] = (
    (),
    (0,),
    (1,),
    (3,),
    (2, 0),
    (2, 3),
    (1, 2, 3),
    (2, 4, 5, 3),
    (1, 1, 1, 1, 1, 1),
)


class _Misuse:
    """Writes one call."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.writer = Writer()
        self.feed: list[Data] = []

    def _numbers(self, dtype: str, shape: tuple[int, ...], low: float, high: float) -> Any:
        draw = np.random.RandomState(self.rng.randrange(1 << 30))
        if dtype == "string":
            found = np.empty(int(np.prod(shape)), np.object_)
            found[:] = [self.rng.choice(WORDS) for _ in range(found.size)]
            return found.reshape(shape)
        if dtype == "bool":
            return draw.randint(0, 2, shape).astype(bool)
        if dtype.startswith(("int", "uint")):
            low = max(low, 0) if dtype[0] == "u" else low
            return draw.randint(int(low), max(int(high), int(low) + 1), shape)
        return draw.uniform(low, high, shape)

    def tensor(self, wanted: Input, is_odd: bool = False) -> Data:
        """A tensor of a type and shape; an odd one has a number that is not finite, or no known shape."""
        values = self._numbers(*wanted)
        dtype = wanted.dtype
        if is_odd and dtype.startswith("float") and values.size:
            values = np.array(values)
            values.reshape(-1)[0] = self.rng.choice((np.nan, np.inf, -np.inf, 1e30, -0.0))
        name = "float32" if dtype == "bfloat16" else dtype
        data = array(values, name)
        if dtype == "bfloat16":
            data["array"][0] = dtype
        kind = self.rng.random()
        if not is_odd and kind < 0.6:
            return self.writer.call("constant", data, dtype=tf(dtype))
        shape = list(wanted.shape)
        static: Data = {"shape": None if kind > 0.8 else [None for _ in shape]}
        fed = self.writer.call("placeholder", tf(dtype), static)
        self.feed.append([fed, data])
        return fed

    def sparse(self, dtype: str, is_odd: bool = False) -> Data:
        """A sparse matrix; the parts of an odd one do not fit each other."""
        places, sizes = [[0, 1], [1, 2]], [2, 3]
        if is_odd:
            places, sizes = self.rng.choice(
                (
                    ([[1, 2], [0, 1]], [2, 3]),
                    ([[0, 1], [0, 1]], [2, 3]),
                    ([[0, 1], [5, 2]], [2, 3]),
                    ([[0, -1], [1, 2]], [2, 3]),
                    ([[0, 1], [1, 2]], [0, 3]),
                    ([[0, 1], [1, 2]], [2, -3]),
                    ([[0, 1], [1, 2]], [1 << 40, 1 << 40]),
                )
            )
        values = self._numbers(dtype, (2,), 0, 4)
        parts = []
        for data, kind in (
            (array(places, "int64"), "int64"),
            (array(values, dtype), dtype),
            (array(sizes, "int64"), "int64"),
        ):
            if self.rng.random() < 0.6:
                parts.append(self.writer.call("constant", data, dtype=tf(kind)))
            else:
                parts.append(self.writer.call("placeholder", tf(kind), data["array"][1]))
                self.feed.append([parts[-1], data])
        return self.writer.call("SparseTensor", *parts)

    def right(self, wanted: Any) -> Data:
        """The right value of an argument."""
        if isinstance(wanted, Input):
            return self.tensor(wanted)
        if isinstance(wanted, Sparse):
            return self.sparse(wanted.dtype)
        if isinstance(wanted, Made):
            named = {
                name: self.right(value) for name, value in wanted.keywords.items() if self.rng.random() < _OPTION_SHARE
            }
            return self.writer.call(wanted.function, *map(self.right, wanted.arguments), **named)
        if isinstance(wanted, list):
            return [self.right(item) for item in wanted]
        if isinstance(wanted, dict) and "dict" in wanted:
            return {"dict": [[key, self.right(item)] for key, item in wanted["dict"]]}
        return wanted

    def wrong(self, wanted: Any) -> Data:
        """A wrong value of an argument."""
        rng = self.rng
        if isinstance(wanted, list | dict) and rng.random() < 0.3:
            items = wanted if isinstance(wanted, list) else wanted.get("dict", [])
            if items:
                place = rng.randrange(len(items))
                if isinstance(wanted, list):
                    return [self.wrong(x) if i == place else self.right(x) for i, x in enumerate(items)]
                return {"dict": [[k, self.wrong(x) if i == place else self.right(x)] for i, (k, x) in enumerate(items)]}
        kind = rng.random()
        if isinstance(wanted, Made) and kind < 0.9:
            return self._wrongly_made(wanted)
        if isinstance(wanted, Input) and kind < 0.65:
            way = rng.choice(("dtype", "rank", "odd", "size"))
            if way == "dtype":
                return self.tensor(wanted._replace(dtype=rng.choice(_DTYPES)))
            if way == "rank":
                return self.tensor(wanted._replace(shape=rng.choice(_RANKS)))
            if way == "size" and wanted.shape:
                sizes = list(wanted.shape)
                sizes[rng.randrange(len(sizes))] = rng.choice((0, 1, 2, 7))
                return self.tensor(wanted._replace(shape=tuple(sizes)))
            bounds = rng.choice(((-3, 3), (-100, 100), (1e9, 2e9), (0, 1)))
            return self.tensor(wanted._replace(low=bounds[0], high=bounds[1]), True)
        if isinstance(wanted, Sparse) and kind < 0.6:
            return self.sparse(wanted.dtype if rng.random() < 0.6 else rng.choice(_DTYPES[:-1]), rng.random() < 0.7)
        if kind < 0.75:
            return self.tensor(Input(rng.choice(_DTYPES), rng.choice(_RANKS), -2, 5), rng.random() < 0.5)
        if kind < 0.8:
            return self.sparse(rng.choice(("float32", "string", "int64")), rng.random() < 0.5)
        return rng.choice(_LITERALS)

    def _wrongly_made(self, wanted: Made) -> Data:
        """The result of a call of which one argument is wrong."""
        places: list[Any] = [*range(len(wanted.arguments)), *wanted.keywords]
        chosen = self.rng.choice(places) if places else None
        positional = [self.wrong(x) if i == chosen else self.right(x) for i, x in enumerate(wanted.arguments)]
        named = {
            name: self.wrong(value) if name == chosen else self.right(value)
            for name, value in wanted.keywords.items()
            if name == chosen or self.rng.random() < _OPTION_SHARE
        }
        return self.writer.call(wanted.function, *positional, **named)


def _used_column(c: _Misuse, function: str, result: Data) -> Data:
    """Adds the call that uses a column; returns its result, or `result` itself if it is no column."""
    if function.endswith(("crossed_column", "input_layer", "linear_model", "make_parse_example_spec")):
        return result
    columns = result if function.endswith("_columns") else [result]
    is_dense = function.endswith(
        ("embedding_column", "_columns", "numeric_column", "bucketized_column", "indicator_column")
    )
    layer = "feature_column.input_layer" if is_dense else "feature_column.linear_model"
    return c.writer.call(layer, c.right(misuse_calls.FEATURES), columns)


def program(number: int) -> dict[str, Any]:
    """The program of a number."""
    rng = random.Random(number)
    family = rng.choice(_FAMILIES)
    function, arguments, keywords = rng.choice(family)
    c = _Misuse(rng)
    places: list[Any] = [*range(len(arguments)), *keywords]
    chosen = {rng.choice(places)} if places else set()
    if places and rng.random() < 0.1:
        chosen.add(rng.choice(places))
    positional = [c.wrong(x) if i in chosen else c.right(x) for i, x in enumerate(arguments)]
    named = {
        name: c.wrong(value) if name in chosen else c.right(value)
        for name, value in keywords.items()
        if name in chosen or rng.random() < _OPTION_SHARE
    }
    result = c.writer.call(function, *positional, **named)
    runs: list[Data] = []
    if function.startswith("feature_column."):
        result = _used_column(c, function, result)
        runs.append({"fill": 3})
    elif family in misuse_layer_calls.FAMILIES:
        runs.append({"fill": 3})
        made = arguments[0] if arguments else None
        function = f"{made.function}{function}" if isinstance(made, Made) else function
    if not function.startswith(("io.Fixed", "io.Var", "io.SparseFeature", "io.TFRecordOptions")):
        runs.append({"fetch": result, "feed": c.feed})
    return make_program(f"misuse of {function}", c.writer, runs)
