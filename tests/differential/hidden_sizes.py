"""Calls of the corpus, with a size of an input that only the step decides, and with other numbers in int inputs.

Sizes and numbers change after a plan for the shapes of feeds is made, while these shapes stay: what a rule takes for
granted then is seen, as a result that differs from that of a session without such plans.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from differential import op_calls
from differential.fed_shapes import _general, _is_late, _outcome
from differential.language import Interpreter, decode_array

import ferroflow as tf

Call = dict[str, Any]
# One more than the steps before a plan for the shapes is made.
_STEPS = 9
_MOST_MS = 5000
# Their numbers differ from step to step.
_UNSEEDED = ("Random", "TruncatedNormal", "Multinomial", "Sampler", "SampleDistorted", "Fractional", "StatelessRandom")


def _arrays(call: Call) -> list[Any]:
    inputs = call["inputs"].values()
    return [
        decode_array(tf, *item["array"]) for data in inputs for item in (data if isinstance(data, list) else [data])
    ]


def places(call: Call) -> Iterator[tuple[int, int] | None]:
    """For each input and axis of which a size can be hidden, the two; None first: only numbers change."""
    yield None
    for place, array in enumerate(_arrays(call)):
        yield from ((place, axis) for axis, size in enumerate(array.shape) if size)


def _built(call: Call, hidden: tuple[int, int] | None) -> tuple[list[Any], list[dict[Any, Any]]]:
    """Returns the fetches, and what is fed after the first steps, which feed the first of these."""
    arrays = _arrays(call)
    holders = [tf.placeholder(tf.string if a.dtype == object else tf.as_dtype(a.dtype)) for a in arrays]
    feed = dict(zip(holders, arrays, strict=True))
    shown, more = list(holders), []
    if hidden is None:
        for holder, a in feed.items():
            if a.dtype in (np.int32, np.int64) and a.size <= 8:
                others = (a * 0, a * 0 + 1, a * 0 - 1, a + 1, a - 1, a * 2)
                more += [{**feed, holder: other.astype(a.dtype)} for other in others]
    else:
        place, axis = hidden
        size, a = tf.placeholder(tf.int32, []), arrays[place]
        feed[holders[place]] = np.concatenate([a, a, np.take(a, [0], axis)], axis)
        feed[size] = n = a.shape[axis]
        sizes = [-1] * axis + [size] + [-1] * (a.ndim - axis - 1)
        shown[place] = tf.slice(holders[place], [0] * a.ndim, tf.stack(sizes))
        more = [{**feed, size: other} for other in (1, 2 * n, 0, n + 1, n - 1)]
    given = iter(shown)
    inputs = {
        name: [next(given) for _ in data] if isinstance(data, list) else next(given)
        for name, data in call["inputs"].items()
    }
    interpreter = Interpreter(tf)
    attributes = {name: interpreter.value(data, {}) for name, data in call["attributes"].items()}
    results = tf.contrib.framework.nest.flatten(getattr(tf.raw_ops, call["op"])(**inputs, **attributes))
    kept = [
        r
        for r in results
        if isinstance(r, tf.Tensor) and r.dtype not in (tf.resource, tf.variant) and not r.dtype._is_ref_dtype
    ]
    return [*kept, *(tf.raw_ops.Shape(input=r, out_type=tf.int32) for r in kept)], [feed, *more]


def difference(call: Call, hidden: tuple[int, int] | None) -> str | None:
    """Returns what differs with and without plans for the shapes of feeds. None also if the call cannot be built."""
    if any(name in call["op"] for name in _UNSEEDED):
        return None
    outcomes = []
    with tf.Graph().as_default() as graph:
        try:
            fetches, feeds = _built(call, hidden)
        except (ValueError, TypeError, NotImplementedError, tf.errors.OpError):
            return None
        if not fetches:
            return None
        config = tf.ConfigProto(operation_timeout_in_ms=_MOST_MS)
        with _general():
            general = tf.Session(graph=graph, config=config)
        for session in (tf.Session(graph=graph, config=config), general):
            with session:
                outcomes.append([_outcome(session, fetches, feed) for feed in [feeds[0]] * _STEPS + feeds[1:]])
    for step, (ours, theirs) in enumerate(zip(*outcomes, strict=True)):
        if ours != theirs and not _is_late(ours) and not _is_late(theirs):
            return f"{call['op']}, hidden {hidden}, step {step}: {str(ours)[:300]} and in general {str(theirs)[:300]}"
    return None


def calls(number: int, count: int) -> Iterator[Call]:
    """Returns every `count`-th call of the corpus, from a number on."""
    found = [call for of_op in op_calls.corpus().values() for call in of_op[:2]]
    return iter(found[number % count :: count])
