"""Repeated shuffles, as programs of either library, and the ways to read them.

TensorFlow 1.15 joins a shuffle and its repetition where it rewrites the pipeline, which gives another order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def programs(tf: Any) -> dict[str, Callable[[], Any]]:
    """Returns functions that each return a dataset of int64 scalars, by name."""
    dataset = tf.data.Dataset

    def shuffled(size: int = 6, **options: Any) -> Any:
        return dataset.range(size).shuffle(10, **options)

    def with_rewrites(made: Any, **rewrites: bool) -> Any:
        options = tf.data.Options()
        for name, value in rewrites.items():
            setattr(options.experimental_optimization, name, value)
        return made.with_options(options)

    in_function = lambda: dataset.range(2).flat_map(lambda _: shuffled(5, seed=3).repeat(2))  # noqa: E731
    return {
        "repeat 2": lambda: shuffled().repeat(2),
        "small buffer": lambda: dataset.range(6).shuffle(3).repeat(2),
        "endless": lambda: shuffled().repeat().take(14),
        "then batches": lambda: shuffled().repeat(2).batch(5).flat_map(dataset.from_tensor_slices),
        "after a map": lambda: shuffled().map(lambda x: x + 1).shuffle(4).repeat(2).prefetch(1),
        "one order": lambda: shuffled(reshuffle_each_iteration=False).repeat(2),
        "shuffle_and_repeat": lambda: dataset.range(6).apply(tf.data.experimental.shuffle_and_repeat(10, 2)),
        "in a function": in_function,
        "in a function and outside": lambda: in_function().shuffle(10).repeat(2),
        "in an interleave": lambda: dataset.range(2).interleave(lambda _: shuffled(5, seed=3).repeat(2), 2),
        "two in a row": lambda: shuffled().repeat(2).concatenate(shuffled().repeat(2)),
        "zipped": lambda: dataset.zip((shuffled().repeat(2), shuffled().repeat(2))).map(lambda a, b: a * 10 + b),
        "shared": lambda: (lambda d: d.repeat(2).concatenate(d))(shuffled()),
        "cached": lambda: shuffled().repeat(2).cache().repeat(2),
        "twice": lambda: shuffled().repeat(2).repeat(2),
        "take all": lambda: shuffled().take(-1).repeat(2),
        "skip none": lambda: shuffled().skip(0).repeat(2),
        "repeat 1": lambda: shuffled().repeat(1).repeat(2),
        "prefetch 0": lambda: shuffled().prefetch(0).repeat(2),
        "map between": lambda: shuffled().map(lambda x: x).repeat(2),
        "take 5 between": lambda: shuffled().take(5).repeat(2),
        "fusion off": lambda: with_rewrites(shuffled().repeat(2), shuffle_and_repeat_fusion=False),
        "defaults off": lambda: with_rewrites(shuffled().repeat(2), apply_default_optimizations=False),
        "fusion alone": lambda: with_rewrites(
            shuffled().repeat(2), apply_default_optimizations=False, shuffle_and_repeat_fusion=True
        ),
        "fusion alone, take all": lambda: with_rewrites(
            shuffled().take(-1).repeat(2), apply_default_optimizations=False, shuffle_and_repeat_fusion=True
        ),
        "no-ops stay, take all": lambda: with_rewrites(shuffled().take(-1).repeat(2), noop_elimination=False),
        "no-ops stay, repeat 1": lambda: with_rewrites(shuffled().repeat(1).repeat(2), noop_elimination=False),
        "no tuning": lambda: with_rewrites(shuffled().repeat(2), autotune=False),
        "options inside": lambda: with_rewrites(shuffled().repeat(2), shuffle_and_repeat_fusion=False).map(lambda x: x),
    }


def ways(tf: Any) -> dict[str, Callable[[Any], tuple[Any, Any]]]:
    """Returns functions of a dataset, by name: each returns what starts the pass and the element to fetch."""

    def one_shot(dataset: Any) -> tuple[Any, Any]:
        return tf.no_op(), dataset.make_one_shot_iterator().get_next()

    def initializable(dataset: Any) -> tuple[Any, Any]:
        iterator = dataset.make_initializable_iterator()
        return iterator.initializer, iterator.get_next()

    def reinitializable(dataset: Any) -> tuple[Any, Any]:
        iterator = tf.data.Iterator.from_structure(dataset.output_types, dataset.output_shapes)
        return iterator.make_initializer(dataset), iterator.get_next()

    def feedable(dataset: Any) -> tuple[Any, Any]:
        handle = dataset.make_one_shot_iterator().string_handle()
        iterator = tf.data.Iterator.from_string_handle(handle, dataset.output_types, dataset.output_shapes)
        return tf.no_op(), iterator.get_next()

    def reduced(dataset: Any) -> tuple[Any, Any]:
        joined = dataset.batch(100).reduce(tf.zeros([0], tf.int64), lambda a, b: tf.concat([a, b], 0))
        return tf.no_op(), joined

    def single(dataset: Any) -> tuple[Any, Any]:
        return tf.no_op(), tf.data.experimental.get_single_element(dataset.batch(100))

    return {
        "one_shot": one_shot,
        "initializable": initializable,
        "reinitializable": reinitializable,
        "feedable": feedable,
        "reduce": reduced,
        "get_single_element": single,
    }


def elements(tf: Any, program: Callable[[], Any], way: Callable[[Any], tuple[Any, Any]], is_whole: bool) -> list[int]:
    """Returns the elements in their order; `is_whole` if one step gives them all."""
    found: list[int] = []
    with tf.Graph().as_default():
        tf.set_random_seed(7)
        start, element = way(program())
        with tf.Session() as session:
            session.run(start)
            while True:
                try:
                    value = session.run(element)
                except tf.errors.OutOfRangeError:
                    return found
                found += value.tolist() if is_whole else [int(value)]
                if is_whole:
                    return found


WHOLE = ("reduce", "get_single_element")
