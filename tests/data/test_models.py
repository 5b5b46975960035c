"""Pipelines drawn at random against the same in plain Python, at one thread and at several, read ahead or not."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from data.reading import elements
from hypothesis import given, strategies as st

import ferroflow as tf

Step = tuple[str, Callable[[Any], Any], Callable[[list[int]], list[int]]]


def _interleaved(values: list[int], cycle: int, block: int) -> list[int]:
    """Each value v stands for v % 4 copies of it."""
    waiting = iter(values)
    places: list[list[int] | None] = [None] * cycle
    found: list[int] = []
    at, exhausted = 0, False
    while True:
        if places[at] is None:
            value = None if exhausted else next(waiting, None)
            exhausted = exhausted or value is None
            if value is not None:
                places[at] = [value] * (value % 4)
                continue
            if all(p is None for p in places):
                return found
        else:
            row = places[at]
            found += row[:block]
            if len(row) < block:
                places[at] = None
            else:
                places[at] = row[block:]
        at = (at + 1) % cycle


def _copies(x):
    return tf.data.Dataset.from_tensors(x).repeat(x % 4)


def _grouped(values: list[int], modulus: int, size: int) -> list[int]:
    groups: dict[int, list[int]] = {}
    found = []
    for value in values:
        group = groups.setdefault(value % modulus, [])
        group.append(value)
        if len(group) == size:
            found += groups.pop(value % modulus)
    for key in sorted(groups):
        found += groups[key]
    return found


def _shards(values: list[int], count: int, index: int) -> list[int]:
    return values[index::count]


def _windows(values: list[int], size: int, shift: int, stride: int, drop: bool) -> list[list[int]]:
    span = (size - 1) * stride + 1
    starts = range(0, len(values) - (span - 1 if drop else 0), shift)
    return [values[i : i + span : stride] for i in starts]


_COUNT = st.integers(0, 5)
STEPS = st.one_of(
    st.builds(lambda n: ("take", lambda d: d.take(n), lambda v: v[:n]), _COUNT),
    st.builds(lambda n: ("skip", lambda d: d.skip(n), lambda v: v[n:]), _COUNT),
    st.builds(lambda n: ("repeat", lambda d: d.repeat(n), lambda v: v * n), st.integers(0, 3)),
    st.builds(
        lambda calls: ("map", lambda d: d.map(lambda x: x * 3 + 1, calls), lambda v: [x * 3 + 1 for x in v]),
        st.sampled_from([None, 1, 3]),
    ),
    st.builds(
        lambda m: ("filter", lambda d: d.filter(lambda x: x % m < 2), lambda v: [x for x in v if x % m < 2]),
        st.integers(2, 5),
    ),
    st.builds(
        lambda c, b, ahead: (
            "interleave",
            (lambda d: d.interleave(_copies, c, b, num_parallel_calls=2 if ahead else None)),
            lambda v: _interleaved(v, c, b),
        ),
        st.integers(1, 4),
        st.integers(1, 3),
        st.booleans(),
    ),
    st.just(("flat_map", lambda d: d.flat_map(_copies), lambda v: [x for x in v for _ in range(x % 4)])),
    st.builds(
        lambda n, drop: (
            "batch",
            lambda d: d.batch(n, drop).map(tf.reduce_sum),
            lambda v: [sum(v[i : i + n]) for i in range(0, len(v) - (n - 1 if drop else 0), n)],
        ),
        st.integers(1, 4),
        st.booleans(),
    ),
    st.builds(
        lambda size, shift, stride, drop: (
            "window",
            lambda d: d.window(size, shift, stride, drop).flat_map(lambda w: w),
            lambda v: [x for window in _windows(v, size, shift, stride, drop) for x in window],
        ),
        st.integers(1, 3),
        st.integers(1, 4),
        st.integers(1, 3),
        st.booleans(),
    ),
    st.builds(
        lambda m, n: (
            "group",
            lambda d: d.apply(tf.contrib.data.group_by_window(lambda x: x % m, lambda _, w: w, n)),
            lambda v: _grouped(v, m, n),
        ),
        st.integers(1, 3),
        st.integers(1, 4),
    ),
    st.just(
        (
            "scan",
            lambda d: d.apply(
                tf.contrib.data.scan(tf.constant(0, tf.int64), lambda s, x: ((s + x) % 97, (s + x) % 97))
            ),
            lambda v: list(itertools.accumulate(v, lambda s, x: (s + x) % 97, initial=0))[1:],
        )
    ),
    st.builds(lambda n: ("prefetch", lambda d: d.prefetch(n), lambda v: v), st.sampled_from([None, 1, 3])),
    st.just(("cache", lambda d: d.cache(), lambda v: v)),
    st.builds(
        lambda n, i: ("shard", lambda d: d.shard(n, i % n), lambda v: _shards(v, n, i % n)),
        st.integers(1, 3),
        st.integers(0, 2),
    ),
    st.just(("concatenate", lambda d: d.concatenate(tf.data.Dataset.range(3)), lambda v: [*v, 0, 1, 2])),
    st.just(
        (
            "zip",
            lambda d: tf.data.Dataset.zip((d, tf.data.Dataset.range(7))).map(lambda a, b: a + b),
            lambda v: [a + b for a, b in zip(v, range(7), strict=False)],
        )
    ),
)


@given(st.integers(0, 12), st.lists(STEPS, max_size=4), st.sampled_from([1, 2, 4]))
def test_a_pipeline_gives_what_python_gives(count: int, steps: list[Step], threads: int) -> None:
    expected = list(range(count))

    def build() -> Any:
        dataset = tf.data.Dataset.range(count)
        for _, transform, _ in steps:
            dataset = transform(dataset)
        return dataset

    for _, _, model in steps:
        expected = model(expected)
    assert elements(build, threads) == expected


@given(st.integers(1, 30), st.integers(1, 40), st.integers(0, 5), st.booleans())
def test_a_shuffled_pass_has_every_element_once_and_none_too_early(
    count: int, size: int, seed: int, reshuffles: bool
) -> None:
    build = lambda: tf.data.Dataset.range(count).shuffle(size, seed, reshuffles).repeat(2)  # noqa: E731
    found = elements(build)
    passes = [found[:count], found[count:]]
    for one in passes:
        assert sorted(one) == list(range(count))
        # What is at place i was among the first i + size.
        assert all(value < place + size for place, value in enumerate(one))
    assert reshuffles or passes[0] == passes[1]
    assert elements(build, threads=2) == found
