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


@pytest.mark.parametrize(("indices", "is_accepted"), [([0, 4], True), ([0, 2], False), ([1, 4], False)])
def test_a_place_without_a_value_has_the_shape_of_a_gap_too(indices: list[int], is_accepted: bool) -> None:
    program = _list(indices, [], "GetItem")
    steps = {step[0]: step for step in program["steps"]}
    steps["list"][1:] = ["raw_ops.TensorListReserve", [], {"num_elements": {"ref": "two"}}]
    steps["indices_of_one"] = ["one", "constant", [{"array": ["int32", [], [1]]}], {}]
    steps["read"][3]["index"] = {"ref": "one"}
    program["steps"] = [*(step for name, step in steps.items() if name != "read"), steps["read"]]
    theirs = "InvalidArgumentError: PartialTensorShape: Incompatible ranks during merge: 2 vs. 1"
    difference = _ERROR._replace(tensorflow=theirs)
    assert (accepted.reason(program, difference) is not None) == is_accepted


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
        ("BoostedTreesCalculateBestFeatureSplit", "no error", "node_id_range must have 2 elements, got 1\nat", True),
        ("BoostedTreesCalculateBestFeatureSplit", "no error", "node_id_range must have 2 elements, got 3", True),
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


_TWO_KEYS = ["keys", "constant", [{"array": ["string", [2], ["a", "b"]]}], {}]
_ONE_KEY = ["keys", "constant", [{"array": ["string", [1], ["a"]]}], {}]
_INSERTION = ["", "raw_ops.BarrierInsertMany", [], {"keys": {"ref": "keys"}}]


@pytest.mark.parametrize(("keys", "is_accepted"), [(_TWO_KEYS, True), (_ONE_KEY, False)])
def test_keys_that_came_alone_leave_a_barrier_in_one_order(keys: list[Any], is_accepted: bool) -> None:
    program = {"about": "barrier", "steps": [keys, _INSERTION], "runs": []}
    difference = Difference("value", "run 2, value 1 (differs)", ["b", "a"], ["a", "b"])
    assert (accepted.reason(program, difference) is not None) == is_accepted
    size = Difference("value", "run 1, value 0 (differs)", 3, 2)
    assert accepted.reason(program, size) is None


@pytest.mark.parametrize(
    ("dtype", "rate", "strength", "is_accepted"),
    [
        ("float16", 0.0, 1.0, True),
        ("float16", 0.5, -1.0, True),
        ("float16", 0.5, 1.0, False),
        ("float32", 0.0, 1.0, False),
    ],
)
def test_signs_are_taken_in_float16_alone(dtype: str, rate: float, strength: float, is_accepted: bool) -> None:
    given = {"lr": rate, "l1": strength, "l2": 1.0}
    steps: list[Any] = [[name, "constant", [{"array": [dtype, [], [x]]}], {}] for name, x in given.items()]
    steps.append(["y", "raw_ops.ResourceApplyProximalAdagrad", [], {name: {"ref": name} for name in given}])
    program = {"about": "ResourceApplyProximalAdagrad", "steps": steps, "runs": []}
    for difference in (
        Difference("error", "run 1", "no error", "InvalidArgumentError: lr is not a positive scalar: []"),
        Difference("value", "run 2, value 1 (0.5 of the greatest)", [1.0], [2.0]),
    ):
        assert (accepted.reason(program, difference) is not None) == is_accepted


@pytest.mark.parametrize(
    ("theirs", "ours", "is_accepted"),
    [
        ([[[1.0]], [[2.0]], [[7.0]]], [[[1.0]], [[2.0]], [[0.0]]], True),
        ([[[1.0]], [[3.0]], [[7.0]]], [[[1.0]], [[2.0]], [[0.0]]], False),
        ([[1.0], [2.0], [7.0]], [[1.0], [2.0], [0.0]], False),
    ],
)
def test_steps_of_a_cell_differ_behind_the_greatest_length_alone(theirs: Any, ours: Any, is_accepted: bool) -> None:
    steps: list[Any] = [
        ["length", "constant", [{"array": ["int64", [], [2]]}], {}],
        ["y", "raw_ops.BlockLSTMV2", [], {"seq_len_max": {"ref": "length"}}],
    ]
    program = {"about": "BlockLSTMV2", "steps": steps, "runs": []}
    difference = Difference("value", "run 0, value 0 (1 of the greatest)", theirs, ours)
    assert (accepted.reason(program, difference) is not None) == is_accepted


@pytest.mark.parametrize(
    ("message", "is_accepted"),
    [
        ("Invalid split value 3, must be in [5,5]", True),
        ("Invalid split value 6, must be in [0,5]", False),
        ("Invalid split value -1, must be in [0,5]", False),
    ],
)
def test_rows_of_n_grams_that_end_before_they_begin_are_refused(message: str, is_accepted: bool) -> None:
    program: dict[str, Any] = {"about": "StringNGrams", "steps": [], "runs": []}
    difference = Difference("error", "run 0", "no error", f"InvalidArgumentError: {message}")
    assert (accepted.reason(program, difference) is not None) == is_accepted


@pytest.mark.parametrize(
    ("theirs", "ours", "is_accepted"),
    [
        (["x", "_33_FIFOQueue"], ["x", "_167_FIFOQueue"], True),
        (["x", "_33_FIFOQueue"], ["y", "_167_FIFOQueue"], False),
        (["x", "_33_FIFOQueue"], ["x", "_167_FIFOQueue_1"], False),
    ],
)
def test_names_of_resources_differ_in_their_numbers_alone(theirs: Any, ours: Any, is_accepted: bool) -> None:
    program: dict[str, Any] = {"about": "FIFOQueue", "steps": [], "runs": []}
    difference = Difference("value", "run 0, value 0 (differs)", theirs, ours)
    assert (accepted.reason(program, difference) is not None) == is_accepted


@pytest.mark.parametrize(("updates", "is_accepted"), [([2, 2], True), ([2, 2, 2], False), ([], False)])
def test_a_scatter_differs_by_updates_of_another_shape_alone(updates: list[int], is_accepted: bool) -> None:
    shapes = {"value": [3, 2, 2], "indices": [2], "updates": updates}
    steps: list[Any] = [[name, "constant", [{"array": ["float32", shape, []]}], {}] for name, shape in shapes.items()]
    handle, given = {"ref": "handle"}, {name: {"ref": name} for name in ("indices", "updates")}
    steps.append(["write", "raw_ops.AssignVariableOp", [], {"resource": handle, "value": {"ref": "value"}}])
    steps.append(["y", "raw_ops.ResourceScatterMul", [], {"resource": handle, **given}])
    program = {"about": "ResourceScatterMul", "steps": steps, "runs": []}
    difference = Difference("value", "run 2, value 0 (0.5 of the greatest)", [1.0], [2.0])
    assert (accepted.reason(program, difference) is not None) == is_accepted


@pytest.mark.parametrize(
    ("dtype", "theirs", "ours", "is_accepted"),
    [
        ("bfloat16", [-1.0, 0.5], [2.0, 0.5], True),
        ("bfloat16", [2.0, 0.5], [-1.0, 0.5], False),
        ("bfloat16", [-1.0, 0.5], [2.0, 0.25], False),
        ("float32", [-1.0, 0.5], [2.0, 0.5], False),
    ],
)
def test_a_clip_between_bounds_in_the_wrong_order_differs_in_bfloat16_alone(
    dtype: str, theirs: list[float], ours: list[float], is_accepted: bool
) -> None:
    given = {"t": [2], "clip_value_min": [], "clip_value_max": []}
    numbers = {"t": [1.0, 0.5], "clip_value_min": [2.0], "clip_value_max": [-1.0]}
    steps: list[Any] = [[n, "constant", [{"array": [dtype, s, numbers[n]]}], {}] for n, s in given.items()]
    steps.append(["y", "raw_ops.ClipByValue", [], {name: {"ref": name} for name in given}])
    program = {"about": "ClipByValue", "steps": steps, "runs": []}
    difference = Difference("value", "run 0, value 0 (1 of the greatest)", theirs, ours)
    assert (accepted.reason(program, difference) is not None) == is_accepted


_WRONG = "misuse of "
_OPERATOR = "OperatorNotAllowedInGraphError: iterating over `tf.Tensor` is not allowed in Graph execution. Use"


@pytest.mark.parametrize(
    ("about", "kind", "theirs", "ours", "is_accepted"),
    [
        ("summary.scalar", "build error", _OPERATOR, "no error", True),
        ("summary.scalar", "build error", _OPERATOR, "AttributeError: no attribute 'get'", False),
        ("summary.merge_all", "build error", "TypeError: unhashable type: 'TensorShape'", "no error", True),
        ("summary.merge_all", "build error", "TypeError: unhashable type: 'list'", "no error", False),
        (
            "contrib.rnn.transpose_batch_time",
            "build error",
            "TypeError: 'NoneType' object is not subscriptable",
            "no error",
            True,
        ),
        ("nn.relu", "build error", "TypeError: 'NoneType' object is not subscriptable", "no error", False),
        (
            "keras.metrics.Mean.update_state",
            "build error",
            "ValueError: Can not squeeze dim[0], expected a dimension of 1, got 2 for 'cond/cond/Squeeze'",
            "no error",
            True,
        ),
        (
            "squeeze",
            "build error",
            "ValueError: Can not squeeze dim[0], expected a dimension of 1, got 2 for 'Squeeze' (op: 'Squeeze')",
            "no error",
            False,
        ),
        (
            "contrib.crf.crf_log_likelihood",
            "build error",
            "TypeError: Input 'y' of 'Mul' Op has type float32 that does not match type bfloat16 of argument 'x'.",
            "no error",
            True,
        ),
        (
            "contrib.crf.crf_log_likelihood",
            "build error",
            "TypeError: Input 'y' of 'Mul' Op has type float32 that does not match type int32 of argument 'x'.",
            "no error",
            False,
        ),
        (
            "keras.backend.pool2d",
            "build error",
            'TypeError: can only concatenate tuple (not "list") to tuple',
            "no error",
            True,
        ),
        ("keras.backend.pool2d", "build error", "TypeError: can only concatenate tuple", "no error", False),
        (
            "sparse.segment_mean",
            "build error",
            "ValueError: Cannot specify a negative value for num_segments for 'SparseSegmentMeanWithNumSegments'",
            "no error",
            True,
        ),
        (
            "keras.layers.ThresholdedReLU.__call__",
            "build error",
            "TypeError: __array__() takes 1 positional argument but 2 were given",
            "no error",
            True,
        ),
        (
            "contrib.framework.argsort",
            "build error",
            "TypeError: Value passed to parameter 'x' has DataType int8 not in list of allowed values: bfloat16",
            "no error",
            True,
        ),
        (
            "contrib.framework.argsort",
            "build error",
            "TypeError: Value passed to parameter 'x' has DataType string not in list of allowed values: bfloat16",
            "no error",
            False,
        ),
        ("strings.substr", "build error", "ValueError: Shape must be rank -1 but is rank 0", "no error", True),
        (
            "layers.Dense.__call__",
            "error",
            "InvalidArgumentError: Only ranks up to 5 supported: [1,1,1,1,1,3]",
            "no error",
            True,
        ),
        (
            "contrib.seq2seq.hardmax",
            "error",
            "InvalidArgumentError: ArgOp : Unhandled input dimensions: 6",
            "no error",
            True,
        ),
        (
            "contrib.image.rotate",
            "error",
            "InvalidArgumentError: output dimensions must be positive",
            "no error",
            True,
        ),
        ("contrib.image.rotate", "error", "InvalidArgumentError: angles must be a vector", "no error", False),
    ],
)
def test_wrong_calls_that_work_here_are_named(about: str, kind: str, theirs: str, ours: str, is_accepted: bool) -> None:
    program: dict[str, Any] = {"about": _WRONG + about, "steps": [], "runs": []}
    assert (accepted.reason(program, Difference(kind, "step v1", theirs, ours)) is not None) == is_accepted


@pytest.mark.parametrize(
    ("is_training", "place", "is_accepted"), [(False, 1, True), (False, 4, True), (False, 0, False), (True, 1, False)]
)
def test_moments_are_undetermined_without_training_alone(is_training: bool, place: int, is_accepted: bool) -> None:
    steps = [["y", "raw_ops.FusedBatchNormV3", [], {"is_training": is_training}]]
    program: dict[str, Any] = {"about": "FusedBatchNormV3", "steps": steps, "runs": []}
    found = Difference("value", f"run 0, value {place} (61 of the greatest)", [0.25, 0.5], [0.125, 0.75])
    assert (accepted.reason(program, found) is not None) == is_accepted


@pytest.mark.parametrize(
    ("dtype", "theirs", "is_accepted"),
    [
        ("complex64", "<[?...]>", True),
        ("bfloat16", "[? ?...]", True),
        ("qint32", "[? ? ?]", True),
        ("complex64", "[...]", True),
        ("complex64", "[1 2]", False),
        ("float32", "[? ?]", False),
    ],
)
def test_texts_of_numbers_differ_by_question_marks_alone(dtype: str, theirs: str, is_accepted: bool) -> None:
    steps = [["x", "placeholder", [{"tf": dtype}], {}], ["y", "raw_ops.StringFormat", [], {"inputs": [{"ref": "x"}]}]]
    program: dict[str, Any] = {"about": "StringFormat", "steps": steps, "runs": []}
    difference = Difference("value", "run 0, value 0 (differs)", theirs, "[(1,0) ... (3,0)]")
    assert (accepted.reason(program, difference) is not None) == is_accepted


@pytest.mark.parametrize(
    ("theirs", "ours", "is_accepted"),
    [
        ([math.nan, 2.365213867975399, 0.0], [math.nan, 2.365213867276907, 0.0], True),
        ([math.nan, 2.365213867975399, 0.0], [1.0, 2.365213867276907, 0.0], False),
        ([math.nan, 2.365213867975399, 0.0], [math.nan, 2.3653, 0.0], False),
    ],
)
def test_resized_pictures_have_nan_in_the_same_places(theirs: Any, ours: Any, is_accepted: bool) -> None:
    program: dict[str, Any] = {"about": "function picture", "steps": [], "runs": []}
    difference = Difference("value", "run 1, value 0 (1.21e-08 of the greatest)", theirs, ours)
    assert (accepted.reason(program, difference) is not None) == is_accepted


@pytest.mark.parametrize(
    ("adjoint", "ours", "is_accepted"),
    [
        (True, [[1.0, 3.0], [2.0, 4.0]], True),
        (False, [[1.0, 3.0], [2.0, 4.0]], False),
        (True, [[1.0, 3.0], [2.5, 4.0]], False),
    ],
)
def test_gradients_of_adjoint_inverses_are_adjoint(adjoint: bool, ours: Any, is_accepted: bool) -> None:
    steps = [["y", "raw_ops.MatrixInverse", [], {"input": {"ref": "x"}, "adjoint": adjoint}]]
    program: dict[str, Any] = {"about": "gradient of MatrixInverse", "steps": steps, "runs": []}
    found = Difference("value", "run 0, value 0 (1.03 of the greatest)", [[1.0, 2.0], [3.0, 4.0]], ours)
    assert (accepted.reason(program, found) is not None) == is_accepted


@pytest.mark.parametrize(
    ("axis", "ours", "is_accepted"),
    [("fed", [None, None], True), ("constant", [None, None], False), ("fed", [4, 2], False)],
)
def test_splits_along_an_unknown_dimension_have_unknown_shapes(axis: str, ours: Any, is_accepted: bool) -> None:
    steps = [["y", "raw_ops.SplitV", [], {"value": {"ref": "x"}, "axis": {"ref": axis}, "num_split": 3}]]
    feed = [[{"ref": "fed"}, {"array": ["int32", [], [1]]}]]
    program: dict[str, Any] = {"about": "SplitV", "steps": steps, "runs": [{"fetch": {"ref": "y"}, "feed": feed}]}
    found = Difference("static shape", "y.0", [4, 1], ours)
    assert (accepted.reason(program, found) is not None) == is_accepted


@pytest.mark.parametrize(("dtype", "is_accepted"), [("uint64", True), ("uint32", True), ("int32", False)])
def test_segments_out_of_range_are_dropped_of_wide_unsigned_types_alone(dtype: str, is_accepted: bool) -> None:
    steps = [
        ["x", "constant", [{"array": [dtype, [2], [0, 1]]}], {}],
        ["y", "raw_ops.UnsortedSegmentMax", [], {"data": {"ref": "x"}}],
    ]
    program: dict[str, Any] = {"about": "UnsortedSegmentMax", "steps": steps, "runs": []}
    found = Difference("error", "run 0", "no error", "InvalidArgumentError: segment_ids[3] = 5 is out of range [0, 3)")
    assert (accepted.reason(program, found) is not None) == is_accepted


@pytest.mark.parametrize(
    ("about", "kind", "theirs", "ours", "is_accepted"),
    [
        (
            "gradient of AvgPool3D",
            "error",
            "InvalidArgumentError: Default AvgPooling3dGradOp only supports NDHWC on device type CPU",
            "no error",
            True,
        ),
        (
            "chain",
            "build error",
            "SystemError: <built-in function Flatten> returned a result with an error set",
            "no error",
            True,
        ),
        (
            "arrays, concat",
            "build error",
            "SystemError: <built-in function Flatten> returned a result with an error set",
            "no error",
            False,
        ),
        ("gradient of DynamicStitch", "static shape", [1], [0], True),
        ("gradient of DynamicStitch", "static shape", [2], [0], False),
        ("DecodePaddedRaw", "value", [[[1, 2], [0, 0]]], [[[1, 2], [3, 0]]], True),
        ("DecodePaddedRaw", "value", [[[1, 2], [0, 0]]], [[[1, 3], [3, 0]]], False),
    ],
)
def test_differences_of_raw_ops_are_named(about: str, kind: str, theirs: Any, ours: Any, is_accepted: bool) -> None:
    program: dict[str, Any] = {"about": about, "steps": [], "runs": []}
    assert (accepted.reason(program, Difference(kind, "y", theirs, ours)) is not None) == is_accepted
