"""Programs of input pipelines: random chains of `tf.data` methods, read to their end."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from differential.writing import Data, Writer, array, at, pair, program as make_program, tf

_READS = 12


def _source(writer: Writer, rng: random.Random) -> tuple[Data, str]:
    """A dataset, and what its elements are: "int", "vector" or "pair"."""
    kind = rng.choice(("range", "slices", "pairs", "tensors", "strings", "generator"))
    numbers = np.random.RandomState(rng.randrange(1 << 30))
    if kind == "range":
        return writer.call("data.Dataset.range", *rng.choice(((7,), (0,), (2, 9), (9, 1, -2), (1, 20, 3)))), "int"
    if kind == "slices":
        return writer.call("data.Dataset.from_tensor_slices", array(numbers.randint(0, 9, [6, 2]), "int64")), "vector"
    if kind == "pairs":
        data = pair(array(numbers.randint(0, 9, [5]), "int64"), array(numbers.uniform(-1, 1, [5, 2]), "float32"))
        return writer.call("data.Dataset.from_tensor_slices", data), "pair"
    if kind == "strings":
        words = [rng.choice((b"a", b"bb", b"", b"c d")) for _ in range(4)]
        return writer.call("data.Dataset.from_tensor_slices", array(words, "string")), "string"
    if kind == "generator":
        dataset = writer.call("data.Dataset.range", 4)
        function = writer.function(1, lambda w, x: w.call(".repeat", w.call("data.Dataset.from_tensors", x), x))
        return writer.call(".flat_map", dataset, function), "int"
    return writer.call("data.Dataset.from_tensors", array(numbers.randint(0, 9, [3]), "int64")), "vector"


def _step(writer: Writer, rng: random.Random, dataset: Data, kind: str) -> tuple[Data, str]:
    call = writer.call
    method = rng.choice(
        (
            "batch",
            "batch",
            "padded_batch",
            "shuffle",
            "repeat",
            "take",
            "skip",
            "map",
            "map",
            "filter",
            "concatenate",
            "zip",
            "prefetch",
            "cache",
            "shard",
            "interleave",
            "flat_map",
            "window",
            "twice",
            "apply",
            "enumerate",
            "reduce",
        )
    )
    if method == "batch":
        options = {"drop_remainder": rng.random() < 0.5} if rng.random() < 0.5 else {}
        return call(".batch", dataset, rng.choice((1, 2, 3, 5)), **options), "other"
    if method == "padded_batch" and kind in ("int", "vector"):
        shape: Data = {"tuple": []} if kind == "int" else [rng.choice((None, 4))]
        return call(".padded_batch", dataset, 2, shape if kind == "vector" else []), "other"
    if method == "shuffle":
        return call(".shuffle", dataset, rng.choice((1, 3, 10)), seed=rng.randrange(5)), kind
    if method == "repeat":
        return call(".repeat", dataset, rng.choice((0, 1, 2))), kind
    if method in ("take", "skip"):
        return call(f".{method}", dataset, rng.choice((0, 1, 3, -1, 100))), kind
    if method == "prefetch":
        return call(".prefetch", dataset, rng.choice((1, 2))), kind
    if method == "cache":
        return call(".cache", dataset), kind
    if method == "shard":
        return call(".shard", dataset, 2, rng.choice((0, 1))), kind
    if method == "enumerate":
        return call(".apply", dataset, call("data.experimental.enumerate_dataset", rng.choice((0, 5)))), "other"
    if method == "zip":
        other = call("data.Dataset.range", 4)
        return call("data.Dataset.zip", pair(dataset, other)), "other"
    if method == "apply":
        way = rng.choice(("unbatch", "ignore_errors", "shuffle_and_repeat", "take_while"))
        if way == "unbatch" and kind == "vector":
            return call(".apply", dataset, call("data.experimental.unbatch")), "int"
        if way == "shuffle_and_repeat":
            return call(".apply", dataset, call("data.experimental.shuffle_and_repeat", 3, 2, seed=2)), kind
        return call(".apply", dataset, call("data.experimental.ignore_errors")), kind
    if method == "map" and kind in ("int", "vector"):
        way = rng.choice(("multiply", "pair", "cast", "sum", "sparse"))
        options = {"num_parallel_calls": 2} if rng.random() < 0.3 else {}
        if way == "pair":
            return call(
                ".map", dataset, writer.function(1, lambda w, x: pair(x, w.call("add", x, 1))), **options
            ), "other"
        if way == "cast":
            return call(
                ".map", dataset, writer.function(1, lambda w, x: w.call("cast", x, tf("float32"))), **options
            ), kind
        if way == "sum":
            return call(".map", dataset, writer.function(1, lambda w, x: w.call("reduce_sum", x)), **options), "int"
        return call(".map", dataset, writer.function(1, lambda w, x: w.call("multiply", x, 2)), **options), kind
    if method == "filter" and kind == "int":
        function = writer.function(1, lambda w, x: w.call("equal", w.call("mod", w.call("cast", x, tf("int64")), 2), 0))
        return call(".filter", dataset, function), kind
    if method == "concatenate":
        return call(".concatenate", dataset, call(".take", dataset, 2)), kind
    if method in ("interleave", "flat_map") and kind == "int":
        inner = writer.function(1, lambda w, x: w.call(".repeat", w.call("data.Dataset.from_tensors", x), 2))
        if method == "flat_map":
            return call(".flat_map", dataset, inner), kind
        return call(
            ".interleave", dataset, inner, cycle_length=rng.choice((1, 2, 3)), block_length=rng.choice((1, 2))
        ), kind
    if method == "twice":
        # Each place of a dataset has a random order of its own.
        way = rng.choice(("zip", "concatenate", "each", "choose"))
        if way == "zip":
            return call("data.Dataset.zip", pair(dataset, call(".skip", dataset, 1))), "other"
        if way == "each":
            return call(".flat_map", call("data.Dataset.range", 2), writer.function(1, lambda w, x: dataset)), kind
        if way == "choose":
            chooser = call("data.Dataset.from_tensor_slices", array([0, 1, 1, 0, 1], "int64"))
            return call("data.experimental.choose_from_datasets", [dataset, dataset], chooser), kind
        return call(".concatenate", call(".take", dataset, 1), dataset), kind
    if method == "window" and kind == "int":
        windows = call(
            ".window", dataset, rng.choice((2, 3)), shift=rng.choice((1, 2)), drop_remainder=rng.random() < 0.5
        )
        return call(".flat_map", windows, writer.function(1, lambda w, x: w.call(".batch", x, 3))), "vector"
    return dataset, kind


def program(number: int) -> dict[str, Any]:
    """The program of a number."""
    rng = random.Random(number)
    writer = Writer()
    dataset, kind = _source(writer, rng)
    for _ in range(rng.randint(1, 5)):
        dataset, kind = _step(writer, rng, dataset, kind)
    writer.call("value", at(dataset, "output_types"))
    writer.call("value", at(dataset, "output_shapes"))
    runs: list[Data] = []
    if rng.random() < 0.5:
        iterator = writer.call("data.make_initializable_iterator", dataset)
        runs.append({"fetch": at(iterator, "initializer")})
    else:
        iterator = writer.call("data.make_one_shot_iterator", dataset)
    following = writer.call(".get_next", iterator)
    runs += [{"fetch": following} for _ in range(_READS)]
    return make_program("dataset", writer, runs, exact=True)
