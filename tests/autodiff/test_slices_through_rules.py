"""Gradients that arrive as slices pass every rule as dense ones do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from differential.language import Interpreter

import ferroflow as tf

_CORPUS = Path(__file__).parents[1] / "differential" / "corpus.jsonl"
_FLOATS = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")
# Each step draws other numbers.
_RANDOM = ("RandomGamma",)


def _calls() -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for line in _CORPUS.read_text().splitlines():
        call = json.loads(line)
        if call["op"] not in _RANDOM:
            found.setdefault(call["op"], []).append(call)
    return found


CALLS = _calls()


def _first(value: Any) -> Any:
    while isinstance(value, list | tuple):
        value = value[0]
    return value


class _Call:
    """A call whose float inputs are fed, with shapes that the graph does not know.

    Attributes:
        result: its first result.
        sources: the fed tensors.
        feed: what is fed.
    """

    def __init__(self, call: dict[str, Any]) -> None:
        self._interpreter = Interpreter(tf)
        self.sources: list[tf.Tensor] = []
        self.feed: dict[tf.Tensor, Any] = {}
        arguments = {
            name: [self._input(d) for d in data] if isinstance(data, list) else self._input(data)
            for name, data in call["inputs"].items()
        }
        attributes = {name: self._interpreter.value(value, {}) for name, value in call["attributes"].items()}
        self.result = _first(getattr(tf.raw_ops, call["op"])(**arguments, **attributes))

    def _input(self, data: dict[str, Any]) -> tf.Tensor:
        value, dtype = self._interpreter.value(data, {}), tf.as_dtype(data["array"][0])
        if dtype.name not in _FLOATS:
            return tf.constant(value, dtype)
        fed = tf.placeholder(dtype)
        self.sources.append(fed)
        self.feed[fed] = value
        return fed


def _gradients(call: _Call, session: tf.Session) -> Iterator[tuple[Any, Any]]:
    """The gradients of the first row, counted twice: of dense numbers, and of slices."""
    rows = np.zeros(session.run(call.result, call.feed).shape)
    rows[0] = 2
    dense = tf.gradients(call.result, call.sources, grad_ys=tf.constant(rows, call.result.dtype))
    sliced = tf.gradients(tf.gather(call.result, [0, 0]), call.sources)
    assert [g is None for g in dense] == [g is None for g in sliced]
    for pair in zip(dense, sliced, strict=True):
        if pair[0] is not None:
            yield tuple(session.run([tf.convert_to_tensor(g) for g in pair], call.feed))


@pytest.mark.filterwarnings("ignore:Converting sparse IndexedSlices")
@pytest.mark.parametrize("op", sorted(CALLS))
def test_slices_pass_a_rule_as_dense_gradients_do(op: str) -> None:
    for data in CALLS[op]:
        with tf.Graph().as_default(), tf.Session() as session:
            try:
                call = _Call(data)
                shape = session.run(call.result, call.feed).shape
                differentiable = bool(shape and shape[0]) and call.result.dtype.is_floating and bool(call.sources)
                differentiable = differentiable and any(g is not None for g in tf.gradients(call.result, call.sources))
            except (ValueError, TypeError, LookupError, NotImplementedError, AttributeError, tf.errors.OpError):
                # What the call itself is refused for is the matter of other tests.
                continue
            if not differentiable:
                continue
            for dense, sliced in _gradients(call, session):
                kind = np.complex128 if np.iscomplexobj(dense) else np.float64
                np.testing.assert_allclose(sliced.astype(kind), dense.astype(kind), rtol=2e-2, atol=1e-3)


@pytest.mark.filterwarnings("ignore:Converting sparse IndexedSlices")
def test_the_gradient_of_a_fill_of_unknown_size_may_be_slices() -> None:
    size, value = tf.placeholder(tf.int32, [2]), tf.placeholder(tf.float32, [])
    (gradient,) = tf.gradients(tf.gather(tf.fill(size, value), [0, 2, 2]), value)
    with tf.Session() as session:
        assert session.run(gradient, {size: [3, 5], value: 1.0}) == 15.0


@pytest.mark.parametrize(
    ("rule", "is_sliced"),
    [
        (lambda x: x + 1.0, False),
        (lambda x: x - x, False),
        (tf.negative, True),
        (tf.identity, True),
        (lambda x: tf.cast(x, tf.float64), True),
    ],
)
def test_slices_stay_slices_where_they_do_in_tensorflow(rule: Any, is_sliced: bool) -> None:
    x = tf.placeholder(tf.float32, [3, 2])
    (gradient,) = tf.gradients(tf.gather(rule(x), [0, 0]), x)
    assert isinstance(gradient, tf.IndexedSlices) is is_sliced
