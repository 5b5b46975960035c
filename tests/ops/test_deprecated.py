"""Deprecated spellings work as the new ones do, and a warning names the new one; both together are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from deprecations import logged_warnings, logs_deprecation

from ferroflow._src.base import dtypes
from ferroflow._src.framework.graph import Graph
from ferroflow._src.ops import operators, renamed, superseded
from ferroflow._src.ops.array import indexing, joining, shaping
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.ops.linalg.norm import norm
from ferroflow._src.ops.math import arithmetic, cast, elementwise, linalg, reduction
from ferroflow._src.ops.nn import normalization, softmax

assert operators

_PAIRS: list[tuple[str, Callable[..., Any], dict[str, Any], dict[str, Any]]] = [
    ("keep_dims", reduction.reduce_sum, {"axis": 1, "keep_dims": True}, {"axis": 1, "keepdims": True}),
    ("reduction_indices", reduction.reduce_mean, {"reduction_indices": [0]}, {"axis": [0]}),
    ("dim", shaping.expand_dims, {"dim": 0}, {"axis": 0}),
    ("squeeze_dims", shaping.squeeze, {"squeeze_dims": [0]}, {"axis": [0]}),
    ("dim", softmax.softmax, {"dim": -1}, {"axis": -1}),
    ("dim", softmax.log_softmax, {"dim": -1}, {"axis": -1}),
    ("dim", normalization.l2_normalize, {"dim": 1}, {"axis": 1}),
    ("keep_dims", norm, {"axis": 1, "keep_dims": True}, {"axis": 1, "keepdims": True}),
]


def _nodes(function: Callable[..., Any], arguments: dict[str, Any]) -> list[str]:
    with Graph().as_default() as graph:
        x = placeholder("float32", [1, 3], name="x")
        function(x, **arguments)
        return [str(op.node_def) for op in graph.get_operations()]


@pytest.mark.parametrize(("old_name", "function", "old", "new"), _PAIRS)
def test_an_old_argument_makes_the_same_graph_with_a_warning(
    old_name: str, function: Callable[..., Any], old: dict[str, Any], new: dict[str, Any]
) -> None:
    (new_name,) = new.keys() - old.keys()
    with logs_deprecation(f"{old_name} of {function.__name__} is deprecated; use {new_name}"):
        made = _nodes(function, old)
    assert made == _nodes(function, new)


@pytest.mark.parametrize(("old_name", "function", "old", "new"), _PAIRS)
def test_old_and_new_argument_together_are_refused(
    old_name: str, function: Callable[..., Any], old: dict[str, Any], new: dict[str, Any]
) -> None:
    with logs_deprecation(old_name), pytest.raises(ValueError, match="both"):
        _nodes(function, {**old, **new})


def test_functions_of_old_names_warn() -> None:
    with Graph().as_default():
        x = placeholder("int32", [2, 2])
        with logs_deprecation(r"tf.to_float is deprecated; use tf.cast\(x, tf.float32\)"):
            assert cast.to_float(x).dtype.name == "float32"
        with logs_deprecation("tf.nn.softmax_cross_entropy_with_logits_v2"):
            softmax.softmax_cross_entropy_with_logits(labels=[[1.0]], logits=[[1.0]])


_OLD_CALLS: list[Callable[[], Any]] = [
    lambda: reduction.reduce_sum([1.0], keep_dims=True),
    lambda: cast.to_int32([1.0]),
    lambda: shaping.squeeze([[1.0]], squeeze_dims=[0]),
    lambda: softmax.softmax([[1.0]], dim=-1),
]


@pytest.mark.parametrize("call", _OLD_CALLS)
def test_a_warning_blames_the_line_of_the_caller(call: Callable[[], Any]) -> None:
    with Graph().as_default(), logs_deprecation("deprecated") as warned:
        call()
    assert [w.pathname for w in warned] == [__file__]


_SUPERSEDED: list[tuple[str, str, Callable[[], Any]]] = [
    ("div", "tf.math.divide", lambda: superseded.div(4, 2)),
    ("setdiff1d", "tf.sets.difference", lambda: superseded.setdiff1d([1], [2])),
    ("substr", "tf.strings.substr", lambda: superseded.substr("abc", 0, 1)),
    ("sparse_to_dense", "tf.sparse.to_dense", lambda: superseded.sparse_to_dense([0], [2], 1.0)),
    ("multinomial", "tf.random.categorical", lambda: superseded.multinomial([[1.0, 2.0]], 1)),
    ("py_func", "tf.numpy_function", lambda: superseded.py_func(lambda x: x, [1.0], dtypes.float32)),
    ("clip_by_average_norm", "tf.clip_by_norm", lambda: superseded.clip_by_average_norm([1.0], 1.0)),
]


@pytest.mark.parametrize(("old", "new", "call"), _SUPERSEDED)
def test_a_function_that_has_a_newer_one_names_it(old: str, new: str, call: Callable[[], Any]) -> None:
    with Graph().as_default(), logs_deprecation(f"tf.{old} is deprecated; use .*{new}") as warned:
        call()
    assert [w.pathname for w in warned] == [__file__]


_OLDER_ARGUMENTS: list[tuple[str, Callable[[], Any], Callable[[], Any]]] = [
    ("keep_prob", lambda: superseded.dropout([1.0], keep_prob=0.5), lambda: superseded.dropout([1.0], rate=0.5)),
    ("keep_prob", lambda: superseded.dropout([1.0], 0.5), lambda: superseded.dropout([1.0], rate=0.5)),
    (
        "dim",
        lambda: softmax.softmax_cross_entropy_with_logits_v2(labels=[[1.0]], logits=[[1.0]], dim=1),
        lambda: softmax.softmax_cross_entropy_with_logits_v2(labels=[[1.0]], logits=[[1.0]], axis=1),
    ),
    (
        "targets",
        lambda: softmax.weighted_cross_entropy_with_logits(targets=[1.0], logits=[1.0], pos_weight=1.0),
        lambda: softmax.weighted_cross_entropy_with_logits(labels=[1.0], logits=[1.0], pos_weight=1.0),
    ),
]


@pytest.mark.parametrize(("name", "old", "new"), _OLDER_ARGUMENTS)
def test_an_argument_warns_by_its_older_name_alone(name: str, old: Callable[[], Any], new: Callable[[], Any]) -> None:
    with Graph().as_default(), logs_deprecation(f"The argument {name} of"):
        old()
    with Graph().as_default(), logged_warnings() as logged:
        new()
    assert logged == []


_RENAMED: list[tuple[str, str, Callable[[], Any], Callable[[], Any]]] = [
    ("mul", "multiply", lambda: renamed.mul([2.0], [3.0]), lambda: arithmetic.multiply([2.0], [3.0])),
    ("sub", "subtract", lambda: renamed.sub([2.0], [3.0]), lambda: arithmetic.subtract([2.0], [3.0])),
    ("neg", "negative", lambda: renamed.neg([2.0]), lambda: elementwise.negative([2.0])),
    ("inv", "reciprocal", lambda: renamed.inv([2.0]), lambda: elementwise.reciprocal([2.0])),
    ("pack", "stack", lambda: renamed.pack([[1.0], [2.0]]), lambda: joining.stack([[1.0], [2.0]])),
    ("concat_v2", "concat", lambda: renamed.concat_v2([[1.0], [2.0]], 0), lambda: joining.concat([[1.0], [2.0]], 0)),
    (
        "select",
        "where",
        lambda: renamed.select([True, False], [1.0, 2.0], [3.0, 4.0]),
        lambda: indexing.where([True, False], [1.0, 2.0], [3.0, 4.0]),
    ),
    (
        "batch_matmul",
        "matmul",
        lambda: renamed.batch_matmul([[[1.0, 2.0]]], [[[3.0, 4.0]]], adj_y=True),
        lambda: linalg.matmul([[[1.0, 2.0]]], [[[3.0, 4.0]]], adjoint_b=True),
    ),
]


@pytest.mark.parametrize(("old", "new", "old_call", "new_call"), _RENAMED)
def test_names_of_before_1_0_make_the_same_node_with_a_warning(
    old: str, new: str, old_call: Callable[[], Any], new_call: Callable[[], Any]
) -> None:
    with Graph().as_default(), logs_deprecation(f"tf.{old} is deprecated; use tf.{new}"):
        made = old_call()
    with Graph().as_default():
        expected = new_call()
    assert str(made.op.node_def) == str(expected.op.node_def)
