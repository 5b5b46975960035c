"""Accepted differences are no wider than their reasons."""

from __future__ import annotations

import math
from typing import Any

import pytest
from differential import accepted
from differential.comparison import Difference


def _list(indices: list[int], more: list[Any], reader: str) -> dict[str, Any]:
    """Returns a program that scatters to a list of two elements, does more with `grown`, and reads `grown`."""

    def constant(name: str, dtype: str, shape: list[int], values: list[Any]) -> list[Any]:
        return [name, "constant", [{"array": [dtype, shape, values]}], {"dtype": {"tf": dtype}}]

    steps = [
        constant("start", "float32", [2], [1.0, 2.0]),
        constant("indices", "int32", [len(indices)], indices),
        constant("values", "float32", [len(indices)], [5.0] * len(indices)),
        constant("two", "int32", [], [2]),
        ["list", "raw_ops.TensorListFromTensor", [], {"tensor": {"ref": "start"}}],
        [
            "grown",
            "raw_ops.TensorListScatterIntoExistingList",
            [],
            {"input_handle": {"ref": "list"}, "tensor": {"ref": "values"}, "indices": {"ref": "indices"}},
        ],
        *more,
        ["read", f"raw_ops.TensorList{reader}", [], {"input_handle": {"ref": more[-1][0] if more else "grown"}}],
    ]
    return {"about": "list of tensors", "steps": steps, "runs": [{"fetch": {"ref": "read"}}]}


_SET = ["filled", "raw_ops.TensorListSetItem", [], {"input_handle": {"ref": "grown"}, "index": {"ref": "two"}}]
_NEITHER = Difference("value", "run 0, value 0 (1 of the greatest)", [5.0, 2.0, 7.0, 5.0], [5.0, 2.0, 0.0, 5.0])
_FIRST = Difference("value", "run 0, value 0 (1 of the greatest)", [5.0, 2.0, 5.0, 7.0], [5.0, 2.0, 0.0, 5.0])
_ELSEWHERE = Difference("value", "run 0, value 0 (1 of the greatest)", [5.0, 3.0, 7.0, 5.0], [5.0, 2.0, 0.0, 5.0])
_SHORTER = Difference("fetched shape", "run 0, value 0", [3], [4])
_ERROR = Difference("error", "run 0", "InvalidArgumentError: Incompatible shapes during merge: [2] vs. [0]", "no error")

_GAP_FIRST = _ERROR._replace(tensorflow="InvalidArgumentError: Incompatible shapes during merge: [0] vs. [2]")


@pytest.mark.parametrize(
    ("indices", "more", "reader", "difference", "is_accepted"),
    [
        ([0, 3], [], "Stack", _NEITHER, True),
        ([0, 3], [], "Stack", _FIRST, True),
        ([0, 3], [], "Stack", _ELSEWHERE, False),
        ([0, 3], [], "Stack", _ERROR, True),
        ([0, 3], [], "Stack", _GAP_FIRST, True),
        ([2, 3], [], "Stack", _GAP_FIRST, False),
        ([0, 3], [], "Stack", _SHORTER, False),
        ([0, 3], [], "ConcatV2", _SHORTER, True),
        ([0, 3], [], "Length", _SHORTER, False),
        ([0, 3], [], "Length", _ERROR, False),
        ([2, 3], [], "Stack", _NEITHER, False),
        ([2, 3], [], "Stack", _FIRST, False),
        ([2, 3], [], "Stack", _ERROR, False),
        ([0, 3], [_SET], "Stack", _NEITHER, False),
        ([0, 3], [_SET], "Stack", _ERROR, False),
    ],
)
def test_a_list_differs_in_the_gap_that_it_got_by_growing_alone(
    indices: list[int], more: list[Any], reader: str, difference: Difference, is_accepted: bool
) -> None:
    assert (accepted.reason(_list(indices, more, reader), difference) is not None) == is_accepted


@pytest.mark.parametrize(
    ("dtype", "theirs", "is_accepted"),
    [
        ("bfloat16", [-1.0, 0.5], True),
        ("bfloat16", [2.0, 0.5], True),
        ("bfloat16", [7.0, 0.5], False),
        ("bfloat16", [-1.0, 0.25], False),
        ("float32", [-1.0, 0.5], False),
    ],
)
def test_a_clip_of_nan_differs_by_one_of_its_operands_alone(dtype: str, theirs: list[float], is_accepted: bool) -> None:
    def fed(name: str, shape: list[int], values: list[float]) -> list[Any]:
        return [{"ref": name}, {"array": [dtype, shape, values]}]

    names = ("t", "clip_value_min", "clip_value_max")
    program = {
        "about": "ClipByValue",
        "steps": [["y", "raw_ops.ClipByValue", [], {name: {"ref": name} for name in names}]],
        "runs": [{"fetch": {"ref": "y"}, "feed": [fed("t", [2], [math.nan, 0.5]), fed("clip_value_min", [], [-1.0])]}],
    }
    program["runs"][0]["feed"].append(fed("clip_value_max", [], [2.0]))
    difference = Difference("value", "run 0, value 0 (NaN elsewhere)", theirs, [math.nan, 0.5])
    assert (accepted.reason(program, difference) is not None) == is_accepted


@pytest.mark.parametrize(
    ("about", "theirs", "ours", "is_accepted"),
    [
        (
            "variables of ResourceApplyAdamWithAmsgrad",
            "no error",
            "var and vhat do not have the same shape[3] []",
            True,
        ),
        ("variables of ResourceApplyAdamWithAmsgrad", "no error", "var and m do not have the same shape[3] []", False),
        ("variables of ResourceApplyAdam", "no error", "var and vhat do not have the same shape[3] []", False),
        ("BoostedTreesMakeStatsSummary", "no error", "Buckets must not be negative, got -1", True),
        ("BoostedTreesAggregateStats", "no error", "Buckets must not be negative, got -1", False),
        ("ParameterizedTruncatedNormal", "no error", "shape must have at least one dimension", True),
        ("ParameterizedTruncatedNormal", "no error", "Invalid parameters", False),
        ("ParameterizedTruncatedNormal", "ResourceExhaustedError: ", "shape must have at least one dimension", False),
        (
            "raw table, MutableDenseHashTableV2",
            "InvalidArgumentError: Expected shape [1] for value, got [3]",
            "",
            False,
        ),
        ("raw variable, handle", "NotFoundError: Resource localhost/v", "Error while reading resource variable", False),
    ],
)
def test_an_input_beyond_which_tensorflow_reads_is_refused(
    about: str, theirs: str, ours: str, is_accepted: bool
) -> None:
    program: dict[str, Any] = {"about": about, "steps": [], "runs": []}
    difference = Difference("error", "run 0", theirs, f"InvalidArgumentError: {ours}")
    assert (accepted.reason(program, difference) is not None) == is_accepted


@pytest.mark.parametrize(
    ("about", "theirs", "ours", "is_accepted"),
    [
        ("gradient of Acosh", [math.inf, 0.5], [math.nan, 0.5], True),
        ("gradient of Acosh", [1.0, 0.5], [math.nan, 0.5], False),
        ("gradient of Acosh", [math.inf, 0.5], [math.nan, 0.75], False),
        ("gradient of Sinh", [0.0, 0.5], [math.nan, 0.5], True),
        ("gradient of Sinh", [math.inf, 0.5], [math.nan, 0.5], False),
    ],
)
def test_hyperbolic_functions_of_nan_differ_as_their_formulas_do(
    about: str, theirs: list[float], ours: list[float], is_accepted: bool
) -> None:
    fed = [[{"ref": "x"}, {"array": ["float16", [2], [math.nan, 1.5]]}]]
    program = {"about": about, "steps": [], "runs": [{"fetch": {"ref": "y"}, "feed": fed}]}
    difference = Difference("value", "run 0, value 0 (NaN elsewhere)", theirs, ours)
    assert (accepted.reason(program, difference) is not None) == is_accepted


@pytest.mark.parametrize(
    ("about", "theirs", "ours", "is_accepted"),
    [
        ("gradient of Atan2", [3, 1, 1], [1, 1, 1], True),
        ("gradient of Atan2", [2, 3], [2, 1], True),
        ("gradient of Atan2", [1, 1, 1], [3, 1, 1], False),
        ("gradient of Atan2", [3, 1], [2, 1], False),
        ("gradient of Sub", [3, 1, 1], [1, 1, 1], False),
    ],
)
def test_a_gradient_of_atan2_differs_by_what_was_broadcast_alone(
    about: str, theirs: list[int], ours: list[int], is_accepted: bool
) -> None:
    program: dict[str, Any] = {"about": about, "steps": [], "runs": []}
    difference = Difference("fetched shape", "run 0, value 0", theirs, ours)
    assert (accepted.reason(program, difference) is not None) == is_accepted


@pytest.mark.parametrize(("rows", "is_accepted"), [(0, True), (2, False)])
def test_a_quantized_concat_differs_beside_empty_values_alone(rows: int, is_accepted: bool) -> None:
    fed = [[{"ref": "x"}, {"array": ["uint8", [rows, 1], [1] * rows]}]]
    program = {"about": "QuantizedConcat", "steps": [], "runs": [{"fetch": {"ref": "y"}, "feed": fed}]}
    difference = Difference("value", "run 0, value 0 (differs)", [[113]], [[154]])
    assert (accepted.reason(program, difference) is not None) == is_accepted
