"""Differences of what kernels of 1.15 lack, or do not look at, are accepted no wider than their reasons."""

from __future__ import annotations

import math
from typing import Any

import pytest
from differential import accepted
from differential.comparison import Difference

_PLAIN: dict[str, Any] = {"about": "", "steps": [], "runs": []}


def _program(about: str, **arguments: Any) -> dict[str, Any]:
    """Returns a program of one op; arrays are fed."""
    op = about.split()[-1]
    fed = [[{"ref": name}, data] for name, data in arguments.items() if isinstance(data, dict) and "array" in data]
    given = {name: {"ref": name} if isinstance(data, dict) else data for name, data in arguments.items()}
    steps = [["y", f"raw_ops.{op}", [], given]]
    return {"about": about, "steps": steps, "runs": [{"fetch": {"ref": "y"}, "feed": fed}]}


def _floats(*values: float, shape: list[int] | None = None) -> dict[str, Any]:
    return {"array": ["float32", shape or [len(values)], list(values)]}


_NONE = "no error"
_BAD = "InvalidArgumentError: "
_DILATED = _BAD + "Current CPU implementation does not yet support dilation rates larger than 1."
_TWO = f"{_BAD}2 root error(s) found.\n  (0) Invalid argument: {_DILATED[len(_BAD) :]}"
_TYPE = "InternalError: Output 0 of type {} does not match declared output type"
_EMPTY_ARRAY = "UnimplementedError: TensorArray has size zero, but element shape <unknown> is not fully defined"
_NO_BATCH = "UnimplementedError: Pooling is not yet supported on the batch dimension."
_NOTHING_FETCHED = "no error (when run: TypeError: Fetch argument None has invalid type <class 'NoneType'>)"


@pytest.mark.parametrize(
    ("about", "kind", "theirs", "ours", "is_accepted"),
    [
        ("Conv3DBackpropFilterV2", "error", _DILATED, _NONE, True),
        ("gradient of Conv3D", "error", _TWO, _NONE, True),
        ("Conv2D", "error", _BAD + "Current implementation does not yet support dilations in the batch", _NONE, False),
        ("Dilation2D", "error", _DILATED, _NONE, False),
        ("AvgPool", "build error", _NONE, "ValueError: Sliding window ksize must be positive, but got 0 for", True),
        ("AvgPool", "build error", _NONE, "ValueError: Negative dimension size caused by", False),
        ("Conv2D", "build error", _NONE, "ValueError: Stride must be > 0, but got 0", False),
        ("gradient of MaxPool3D", "error", _NONE, _NO_BATCH, True),
        ("MaxPool", "error", _NONE, _NO_BATCH, False),
        ("FractionalAvgPool", "error", _NONE, _NO_BATCH, False),
        ("Conv2D", "build error", _NONE, "ValueError: All elements of explicit_paddings must be nonnegative", False),
        ("FixedUnigramCandidateSampler", "error", _NONE, _BAD + "the weights of classes must be finite", True),
        ("FixedUnigramCandidateSampler", "error", _NONE, _BAD + "Need at least one class", False),
        ("BlockLSTMGrad", "error", _NONE, _BAD + "cs must have shape [3,2,2], got [3,2,0]", True),
        ("BlockLSTMGrad", "value", _NONE, _BAD + "cs must have shape [3,2,2], got [3,2,0]", False),
        ("LSTMBlockCell", "error", _NONE, _BAD + "cs must have shape [3,2,2], got [3,2,0]", False),
        ("MatrixDiagV2", "error", "ResourceExhaustedError: OOM", _BAD + "num_rows must be a scalar", True),
        ("MatrixDiagV2", "error", "InternalError: ", _BAD + "num_rows must be a scalar", False),
        ("SparseAdd", "error", _NONE, _BAD + "Index rank (1) and shape rank (2) do not match.", True),
        ("SparseAdd", "build error", _NONE, "ValueError: Index rank (1) and shape rank (2) do not match.", True),
        ("SparseAdd", "build error", _NONE, "ValueError: Shape must be rank 2 but is rank 1", False),
        ("gradient of OneHot", "build error", _NOTHING_FETCHED, "ValueError: Shape must be rank 0", True),
        ("OneHot", "build error", _NOTHING_FETCHED, "ValueError: Shape must be rank 0", False),
        ("gradient of OneHot", "build error", _NONE, "ValueError: Shape must be rank 0", False),
        ("HistogramSummary", "error", _BAD + "tags must be scalar", _NONE, True),
        ("HistogramSummary", "error", _BAD + "Nan in summary histogram", _NONE, False),
        ("Requantize", "error", _NONE, _BAD + "min must be a scalar, got shape [0]", True),
        ("MatMul", "error", _NONE, _BAD + "min must be a scalar, got shape [0]", False),
        (
            "gradient of InTopKV2",
            "build error",
            "TypeError: Expected bool, got 1 of type 'int' instead.",
            "ValueError: Shape must be rank 0 but is rank 1 for 'InTopKV2'",
            True,
        ),
        (
            "gradient of MatMul",
            "build error",
            "ValueError: Shapes differ for 'MatMul' (op)",
            "ValueError: Shapes differ for 'gradients/MatMul'",
            False,
        ),
        ("gradient of MatMul", "build error", "ValueError: bad", f"no error (when run: {_BAD}bad", True),
        ("gradient of MatMul", "build error", "ValueError: bad", _NONE, False),
        ("MatMul", "build error", "ValueError: bad", f"no error (when run: {_BAD}bad", False),
        ("Neg", "value", [0.0, 1.0], [-0.0, 1.0], True),
        ("Neg", "value", [0.0, 1.0], [-0.0, 1.5], False),
        ("SparseSplit", "error", _BAD + "num_dim must be in the interval [0, 2)", _NONE, True),
        ("RaggedTensorToTensor", "error", _NONE, "InternalError: Values and indices must be equal", True),
        ("Max", "error", _NONE, _BAD + "No OpKernel was registered to support Op 'Max' with these types: [half]", True),
        (
            "Max",
            "error",
            _NONE,
            _BAD + "No OpKernel was registered to support Op 'Max' with these types: [float]",
            False,
        ),
        ("MaxPool3DGrad", "error", "InternalError: Seen", _BAD + "No OpKernel was registered to support", True),
        ("MaxPool3DGrad", "error", _BAD + "Seen", _BAD + "No OpKernel was registered to support", False),
        (
            "Conv2DBackpropFilter",
            "error",
            _BAD + "Conv2DCustomBackpropFilter: filter and out_backprop must have the same out_depth",
            "UnimplementedError: The Conv2DBackpropFilter op currently does not support grouped convolutions",
            True,
        ),
        ("gradient of IdentityN", "description", None, ["gradients/zeros_like:0", "ZerosLike", "bfloat16", [4]], True),
        ("gradient of IdentityN", "description", None, ["gradients/zeros_like:0", "ZerosLike", "float32", [4]], False),
        (
            "gradient of SparseTensorDenseAdd",
            "build error",
            _NONE,
            "ValueError: Shape must be rank 1 but is rank 2",
            True,
        ),
        ("Fingerprint", "value", [[1, 0]], [[79, 64]], False),
        ("BlockLSTMV2", "build error", _NONE, "ValueError: Dimension size must be evenly divisible by 4", True),
        ("function entropy", "static shape", [1, 1, 1], [1, 1, None], True),
        ("function entropy", "static shape", [1, 2, 1], [1, None, 1], False),
        ("Mfcc", "error", _NONE, _BAD + "Mfcc: the spectrogram ends below upper_frequency_limit 4000", True),
        ("Mfcc", "error", _NONE, _BAD + "Mfcc: dct_coefficient_count must be between", False),
        (
            "list of tensors",
            "error",
            _TYPE.format("float"),
            _NONE,
            True,
        ),
        (
            "list of tensors",
            "error",
            _TYPE.format("int32"),
            _NONE,
            False,
        ),
        ("NonMaxSuppressionV2", "error", _NONE, _BAD + "iou_threshold must be in [0, 1]", False),
        ("variables of ApplyAdadelta", "error", _NONE, _BAD + "var and accum_update do not have the same shape", True),
        ("variables of ApplyAdadelta", "error", _NONE, _BAD + "var and accum do not have the same shape", False),
        ("BiasAdd", "error", _BAD + "Only ranks up to 5 supported: [2,1,2,2,3,3]", _NONE, True),
        ("BiasAdd", "error", _BAD + "Must provide as many biases as the last dimension", _NONE, False),
        ("gradient of TridiagonalSolve", "error", _BAD + "Shapes of all inputs must match: values[0]", _NONE, False),
        ("raw array", "error", _BAD + "TensorArray a: Could not aggregate to TensorArray index 0", _EMPTY_ARRAY, True),
        ("raw array", "error", _BAD + "TensorArray a: Could not read index 0", _EMPTY_ARRAY, False),
        ("Assert", "error", _BAD + "In[0] should be a scalar: [1]", _NONE, True),
        ("Assert", "error", _BAD + "In[0] should be a scalar: [2]", _NONE, False),
        ("Rint", "value", [0.0, 1.0], [-0.0, 1.0], True),
        ("AsString", "build error", "TypeError: Value passed to parameter 'input' has DataType uint64", _NONE, True),
        ("AsString", "build error", "TypeError: Value passed to parameter 'input' has DataType string", _NONE, False),
    ],
)
def test_faults_that_one_side_finds_are_named(about: str, kind: str, theirs: Any, ours: Any, is_accepted: bool) -> None:
    assert (
        accepted.reason({**_PLAIN, "about": about}, Difference(kind, "run 0", theirs, ours)) is not None
    ) == is_accepted


@pytest.mark.parametrize(
    ("program", "difference", "is_accepted"),
    [
        (
            _program("gradient of DepthwiseConv2dNative", dilations=[1, 1, 2, 1]),
            Difference("value", "run 0", [1.0], [2.0]),
            True,
        ),
        (_program("DepthwiseConv2dNative", dilations=[1] * 4), Difference("value", "run 0", [1.0], [2.0]), False),
        (
            _program("BoostedTreesMakeStatsSummary", num_buckets=1, bucketized_features_list=[]),
            Difference("value", "run 0", [1.0, 2.0], [1.0, 0.0]),
            False,
        ),
        (
            _program("QuantizedMul", x=_floats(1, 2, shape=[2, 1]), y=_floats(1, 2, 3)),
            Difference("value", "run 0", [1], [2]),
            True,
        ),
        (
            _program("QuantizedMul", x=_floats(1, 2, 3, shape=[1, 3]), y=_floats(1, 2, 3)),
            Difference("value", "run 0", [1], [2]),
            False,
        ),
        (
            _program("CTCLoss", inputs=_floats(1, 2, shape=[1, 2, 1])),
            Difference("value", "run 0", [1.0], [2.0]),
            True,
        ),
        (
            _program("CTCLoss", inputs=_floats(1, 2, shape=[1, 1, 2])),
            Difference("value", "run 0", [1.0], [2.0]),
            False,
        ),
        (
            _program("Zeta", x=_floats(1e30, 2)),
            Difference("value", "run 0 (NaN elsewhere)", [math.nan, 1.0], [0.0, 1.0]),
            True,
        ),
        (
            _program("Zeta", x=_floats(1e30, 2)),
            Difference("value", "run 0 (NaN elsewhere)", [math.nan, 1.0], [0.0, 1.5]),
            False,
        ),
        (
            _program("function norm", x=_floats(math.inf, 2)),
            Difference("value", "run 0 (NaN elsewhere)", [math.nan, 1.0], [math.inf, 1.0]),
            True,
        ),
        (
            _program("function norm", x=_floats(3, 2)),
            Difference("value", "run 0 (NaN elsewhere)", [math.nan, 1.0], [math.inf, 1.0]),
            False,
        ),
        (
            _program("variables of ResourceApplyProximalAdagrad", grad=_floats(1e30, 2)),
            Difference("value", "run 0 (NaN elsewhere)", [math.nan, 1.0], [0.5, 1.0]),
            True,
        ),
        (
            _program("Reciprocal", x={"array": ["bfloat16", [2], [0.0, 1.0]]}),
            Difference("value", "run 0 (NaN elsewhere)", [math.nan, 1.0], [math.inf, 1.0]),
            True,
        ),
        (
            _program("Reciprocal", x=_floats(0, 1)),
            Difference("value", "run 0 (NaN elsewhere)", [math.nan, 1.0], [math.inf, 1.0]),
            False,
        ),
        (
            _program("NonMaxSuppressionV2", scores={"array": ["float16", [1], [0.5]]}),
            Difference("error", "run 0", _NONE, _BAD + "iou_threshold must be in [0, 1]"),
            True,
        ),
        (
            _program("variables of ResourceSparseApplyAdagradDA", lr=_floats(-math.inf, shape=[])),
            Difference("value", "run 2 (NaN elsewhere)", [0.2, 1.0], [math.nan, 1.0]),
            True,
        ),
        (
            _program("variables of ResourceSparseApplyAdagradDA", lr=_floats(0.1, shape=[])),
            Difference("value", "run 2 (NaN elsewhere)", [0.2, 1.0], [math.nan, 1.0]),
            False,
        ),
        (
            _program("BoostedTreesMakeQuantileSummaries", values=_floats(math.nan, 2)),
            Difference("value", "run 0 (NaN elsewhere)", [math.nan, 1.0], [0.5, 1.0]),
            True,
        ),
        (
            _program("BoostedTreesMakeQuantileSummaries", values=_floats(1, 2)),
            Difference("value", "run 0", [1.0], [2.0]),
            False,
        ),
        (
            _program("gradient of TridiagonalSolve", rhs=_floats(shape=[0, 2])),
            Difference("error", "run 0", _BAD + "Shapes of all inputs must match: values[0].shape = [1]", _NONE),
            True,
        ),
        (
            _program("Zeta", x=_floats(3, 2)),
            Difference("value", "run 0 (NaN elsewhere)", [math.nan, 1.0], [0.0, 1.0]),
            False,
        ),
        (
            _program("LRNGrad", alpha=-0.5),
            Difference("value", "run 0 (NaN elsewhere)", [math.nan, 1.0], [0.5, 1.0]),
            True,
        ),
        (
            _program("LRNGrad", alpha=0.5),
            Difference("value", "run 0 (NaN elsewhere)", [math.nan, 1.0], [0.5, 1.0]),
            False,
        ),
        (
            _program("CTCBeamSearchDecoder", inputs=_floats(1, 1)),
            Difference("fetched shape", "run 0", [7, 2], [5, 2]),
            True,
        ),
        (
            _program("CTCBeamSearchDecoder", inputs=_floats(1, 2)),
            Difference("fetched shape", "run 0", [7, 2], [5, 2]),
            False,
        ),
        *(
            (
                _program("SparseTensorDenseMatMul", adjoint_a=is_adjoint, a_values={"array": [dtype, [1], [value]]}),
                Difference("value", "run 0", [1.0], [2.0]),
                is_accepted,
            )
            for is_adjoint, dtype, value, is_accepted in (
                (True, "complex64", [1.0, 2.0], True),
                (False, "complex64", [1.0, 2.0], False),
                (True, "float32", 1.0, False),
            )
        ),
        *(
            (
                _program("Div", x={"array": [dtype, [1], [1]]}),
                Difference("error", "run 0", _NONE, _BAD + "Integer division by zero"),
                is_accepted,
            )
            for dtype, is_accepted in (("int8", True), ("int32", False))
        ),
        *(
            (
                _program("ArgMax", input={"array": [dtype, [1], [1]]}),
                Difference("value", "run 0", [1], [0]),
                is_accepted,
            )
            for dtype, is_accepted in (("uint64", True), ("int64", False))
        ),
        *(
            (
                _program("UpperBound", sorted_inputs=_floats(*row, shape=[1, 3])),
                Difference("value", "run 0", [1], [0]),
                is_accepted,
            )
            for row, is_accepted in (((1, 3, 2), True), ((1, 2, 3), False))
        ),
        (
            _program("Dilation2DBackpropInput", filter=_floats(-math.inf)),
            Difference("value", "run 0", [1.0], [2.0]),
            True,
        ),
        (_program("Dilation2DBackpropInput", filter=_floats(1)), Difference("value", "run 0", [1.0], [2.0]), False),
        (_program("FusedPadConv2D"), Difference("static shape", "y", [3, 4, 3, 1], [1, 4, 3, 1]), True),
        (_program("FusedPadConv2D"), Difference("static shape", "y", [3, 4, 3, 1], [3, 4, 2, 1]), False),
    ],
)
def test_differences_depend_on_the_program(program: dict[str, Any], difference: Difference, is_accepted: bool) -> None:
    assert (accepted.reason(program, difference) is not None) == is_accepted


@pytest.mark.parametrize(
    ("about", "gradient", "theirs", "ours", "is_accepted"),
    [
        ("variables of ApplyAdagrad", -1e30, [1.7, math.nan], [1.7, -1.5], True),
        ("variables of ApplyAdagrad", -1e30, [1.6, math.nan], [1.7, -1.5], False),
        ("variables of ApplyAdagrad", -1.0, [1.7, math.nan], [1.7, -1.5], False),
        ("variables of ApplyMomentum", -1e30, [1.7, math.nan], [1.7, -1.5], False),
    ],
)
def test_a_reciprocal_root_of_infinity_is_nan_in_adagrad_alone(
    about: str, gradient: float, theirs: Any, ours: Any, is_accepted: bool
) -> None:
    program = _program(about, grad=_floats(0.5, gradient))
    difference = Difference("value", "run 1, value 0 (NaN elsewhere)", theirs, ours)
    assert (accepted.reason(program, difference) is not None) == is_accepted
