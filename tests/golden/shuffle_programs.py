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
    found["graph seed alone"] = seeded(7, lambda: dataset.range(20).shuffle(7))
    found["graph seed alone, repeat 2"] = seeded(7, lambda: dataset.range(9).map(lambda x: x * 2).shuffle(7).repeat(2))
    found["graph seed, after a batch"] = seeded(
        7, lambda: dataset.range(12).batch(2).apply(experimental.unbatch()).shuffle(7)
    )
    found["graph seed, shuffle and repeat"] = seeded(
        7, lambda: dataset.range(9).apply(experimental.shuffle_and_repeat(5, 2))
    )
    found["repeat 1 of a shuffle"] = lambda: dataset.range(9).shuffle(5, seed=4).repeat(1)
    found["repeat behind what changes nothing"] = lambda: dataset.range(9).shuffle(5, seed=4).take(-1).skip(0).repeat(2)
    found["repeat behind what changes something"] = lambda: dataset.range(9).shuffle(5, seed=4).take(7).repeat(2)
    found["repeat twice"] = lambda: dataset.range(5).shuffle(5, seed=4).repeat(2).repeat(2)
    found["repeat of a shuffle for each element"] = lambda: dataset.range(3).flat_map(
        lambda x: dataset.range(4).shuffle(4, seed=4).repeat(2)
    )
    found["endless repeat"] = lambda: dataset.range(5).shuffle(3, seed=4).repeat().take(17)
    # A dataset at two places has an order of its own at each, which begins with the same numbers.
    shuffled = {
        "shuffle": lambda: dataset.range(6).shuffle(3, seed=3),
        "two shuffles": lambda: dataset.range(6).shuffle(3, seed=3).shuffle(4, seed=1),
        "shuffle and prefetch": lambda: dataset.range(6).shuffle(3, seed=3).prefetch(2),
        "shuffle of one order": lambda: dataset.range(6).shuffle(3, seed=3, reshuffle_each_iteration=False),
    }
    uses = {
        "concatenated": lambda d: d.concatenate(d),
        "concatenated in part": lambda d: d.take(2).concatenate(d).concatenate(d.take(0)),
        "concatenated, repeat 3": lambda d: d.concatenate(d.take(2)).repeat(3),
        "zipped, repeat 2": lambda d: dataset.zip((d, d)).map(lambda x, y: x * 10 + y).repeat(2),
        "for each element": lambda d: dataset.range(3).flat_map(lambda x: d),
        "for each element, repeat 2": lambda d: dataset.range(2).flat_map(lambda x: d.take(4).repeat(2)).repeat(2),
        "interleaved": lambda d: dataset.range(3).interleave(lambda x: d, cycle_length=2, block_length=2),
    }
    for name, build in shuffled.items():
        for way, use in uses.items():
            found[f"{name}, {way}"] = lambda build=build, use=use: use(build())
    found["shuffle in a function, repeat 3"] = lambda: (
        dataset.range(2).flat_map(lambda x: dataset.range(5).shuffle(3, seed=3).take(4)).repeat(3)
    )
    found["shuffle of two functions, repeat 2"] = lambda: (
        dataset.range(2)
        .flat_map(lambda x: dataset.range(2).interleave(lambda y: dataset.range(5).shuffle(3, seed=3).take(4), 2))
        .repeat(2)
    )
    found["three shuffles, repeat 3"] = lambda: (
        dataset.range(7).shuffle(3, seed=3).shuffle(4, seed=1).shuffle(2, seed=5).take(6).repeat(3)
    )
    found["random numbers"] = seeded(7, lambda: experimental.RandomDataset(seed=5).take(20))
    found["sampled datasets"] = seeded(
        3,
        lambda: experimental.sample_from_datasets(
            [dataset.range(10), dataset.range(100, 110), dataset.range(200, 210)], [0.2, 0.3, 0.5], seed=4
        ),
    )
    found["sampled datasets without weights"] = seeded(
        3, lambda: experimental.sample_from_datasets([dataset.range(10), dataset.range(100, 110)])
    )
    found["resampled"] = seeded(
        3,
        lambda: (
            dataset.range(40)
            .apply(experimental.rejection_resample(lambda x: tf.cast(x % 2, tf.int32), [0.3, 0.7]))
            .map(lambda _, x: x)
        ),
    )
    found["random function"] = seeded(
        3, lambda: dataset.range(9).map(lambda x: tf.cast(tf.random_uniform([]) * 1e6, tf.int64))
    )
    found["random function with a seed"] = lambda: dataset.range(9).map(
        lambda x: tf.cast(tf.random_uniform([], seed=3) * 1e6, tf.int64)
    )
    return found
