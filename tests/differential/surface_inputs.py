"""The inputs of programs of functions: constants and fed placeholders of random shapes and dtypes."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from differential.writing import Data, Writer, array, tf

Options = dict[str, Any]
WORDS = (
    b"",
    b"a",
    b"Ab c",
    b"1",
    b"-7",
    b"3.5",
    b"0x1F",
    b"nan",
    b" 12 ",
    b"\xc3\xa9\xc3\xa9",
    b"a,b;;c",
    b"abc\x00d",
    b"1e400",
    b"\xff",
)
DTYPES = ("float32", "float64", "int32", "int64", "uint8", "int8", "int16", "float16", "complex64", "bool", "string")
SHAPES: tuple[list[int], ...] = ([], [0], [1], [3], [2, 3], [2, 0], [1, 3], [2, 1, 3])


class Inputs:
    """Makes the inputs of a program: constants and fed placeholders of random static shapes."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.writer = Writer()
        self.feed: list[Data] = []
        self.reals: list[Data] = []

    def put(self, values: Any, dtype: str) -> Data:
        data = array(values, dtype)
        kind = self.rng.random()
        if kind < 0.35:
            return self.writer.call("constant", data, dtype=tf(dtype))
        shape = list(np.shape(values))
        static: Data = {"shape": None if kind > 0.85 else [self.rng.choice((n, n, None)) for n in shape]}
        fed = self.writer.call("placeholder", tf(dtype), static)
        self.feed.append([fed, data])
        return fed

    def numbers(
        self,
        shape: list[int],
        dtype: str = "float32",
        low: float = -3,
        high: float = 4,
        specials: tuple[float, ...] = (np.nan, np.inf, -np.inf, -0.0),
    ) -> Data:
        draw = np.random.RandomState(self.rng.randrange(1 << 30))
        if dtype == "string":
            return self.words(shape)
        if dtype == "bool":
            return self.put(draw.randint(0, 2, shape), dtype)
        if dtype.startswith(("int", "uint")):
            return self.put(draw.randint(0 if dtype[0] == "u" else int(low), int(high), shape), dtype)
        values = draw.uniform(low, high, shape)
        if dtype.startswith("complex"):
            return self.put((values + 1j * draw.uniform(-1, 1, shape)).astype(dtype), dtype)
        if values.size and self.rng.random() < 0.1:
            values = np.array(values)
            values.reshape(-1)[0] = self.rng.choice(specials)
        made = self.put(np.asarray(values).astype(dtype), dtype)
        if dtype in ("float32", "float64"):
            self.reals.append(made)
        return made

    def words(self, shape: list[int]) -> Data:
        count = int(np.prod(shape))
        found = np.empty(count, np.object_)
        found[:] = [self.rng.choice(WORDS) for _ in range(count)]
        return self.put(found.reshape(shape), "string")

    def shape(self) -> list[int]:
        return list(self.rng.choice(SHAPES))

    def some(self, options: dict[str, tuple[Any, ...]], chance: float = 0.4) -> Options:
        return {name: self.rng.choice(values) for name, values in options.items() if self.rng.random() < chance}
