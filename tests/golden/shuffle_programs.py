"""Random datasets, as programs of either library: names and functions that give a dataset of int64 scalars."""

from __future__ import annotations

from typing import Any


def programs(tf: Any) -> dict[str, Any]:
    """The programs of a library."""
    dataset = tf.data.Dataset
    experimental = tf.data.experimental

    def seeded(graph_seed: int, build: Any) -> Any:
        def program() -> Any:
            tf.set_random_seed(graph_seed)
            return build()

        return program

    found = {}
    for size in (1, 2, 7, 100):
        for seed in (0, 3, 12345):
            found[f"shuffle {size} of 20, seed {seed}"] = lambda n=size, s=seed: dataset.range(20).shuffle(n, seed=s)
            found[f"shuffle {size} of 9, seed {seed}, repeat 3"] = lambda n=size, s=seed: (
                dataset.range(9).shuffle(n, seed=s).repeat(3)
            )
            found[f"shuffle {size} of 9, seed {seed}, one order, repeat 3"] = lambda n=size, s=seed: (
                dataset.range(9).shuffle(n, seed=s, reshuffle_each_iteration=False).repeat(3)
            )
    found["two shuffles"] = lambda: dataset.range(30).shuffle(5, seed=1).shuffle(10, seed=2)
    found["graph seed and own"] = seeded(7, lambda: dataset.range(20).shuffle(7, seed=5))
    found["random numbers"] = seeded(7, lambda: experimental.RandomDataset(seed=5).take(20))
    found["sampled datasets"] = seeded(
        3,
        lambda: experimental.sample_from_datasets(
            [dataset.range(10), dataset.range(100, 110), dataset.range(200, 210)], [0.2, 0.3, 0.5], seed=4
        ),
    )
    found["random function"] = seeded(
        3, lambda: dataset.range(9).map(lambda x: tf.cast(tf.random_uniform([]) * 1e6, tf.int64))
    )
    found["random function with a seed"] = lambda: dataset.range(9).map(
        lambda x: tf.cast(tf.random_uniform([], seed=3) * 1e6, tf.int64)
    )
    return found
