"""Operations for the test of the ONNX table: for each op its inputs in order, and its attributes."""

import numpy as np

import ferroflow as tf

_random = np.random.RandomState(7)


class Fed:
    """An array that a feed gives, so that the export cannot make it a constant."""

    def __init__(self, array, dtype=np.float32, known=False):
        self.array = np.array(array, dtype)
        self.known = known


def floats(*shape):
    return Fed(_random.randn(*shape))


def images(*shape, known=False):
    return Fed(_random.rand(*(shape or (2, 7, 6, 4))), known=known)


X = floats(3, 4)
POSITIVE = Fed(_random.rand(3, 4) + 0.1)
WITHIN = Fed(_random.rand(3, 4) * 1.8 - 0.9)
ABOVE = Fed(_random.rand(3, 4) + 1.0)
HALVES = Fed([[-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.2]])
SPECIAL = Fed([[1.0, np.inf, -np.inf, np.nan]])
BOOLS = Fed([[True, False, True]], np.bool_)
OTHER_BOOLS = Fed([[True, True, False]], np.bool_)
INTS = Fed([[-7, 7, -8, 8, 0]], np.int32)
DIVISORS = Fed([[3, -3, 4, -4, 5]], np.int32)
SIGNED, DIVIDING = Fed([[-7.5, 7.5, -0.5, 6.0]]), Fed([[2.0, -2.0, 3.0, 3.0]])

_MATHS = {
    **dict.fromkeys(["Abs", "Asinh", "Atan", "Cos", "Cosh", "Elu", "Erf", "Erfc", "Exp", "Expm1", "Neg", "Relu"], X),
    **dict.fromkeys(["Relu6"], X),
    **dict.fromkeys(["Selu", "Sigmoid", "Sign", "Sin", "Sinh", "Softplus", "Softsign", "Square", "Tan", "Tanh"], X),
    **dict.fromkeys(["Identity", "PreventGradient", "Snapshot", "StopGradient", "L2Loss"], X),
    **dict.fromkeys(["LeakyRelu", "LogSoftmax", "Softmax", "OnesLike", "ZerosLike", "Rank", "Shape", "Size"], X),
    **dict.fromkeys(["Log", "Log1p", "Reciprocal", "Inv", "Rsqrt", "Sqrt"], POSITIVE),
    **dict.fromkeys(["Acos", "Asin", "Atanh"], WITHIN),
    **dict.fromkeys(["Ceil", "Floor", "Rint", "Round"], HALVES),
    **dict.fromkeys(["IsFinite", "IsInf", "IsNan"], SPECIAL),
    "Acosh": ABOVE,
    "LogicalNot": BOOLS,
}
_PAIRS = {
    **dict.fromkeys(["Add", "AddV2", "Div", "Equal", "Greater", "GreaterEqual", "Less"], (X, POSITIVE)),
    **dict.fromkeys(["LessEqual", "Maximum", "Minimum", "Mul", "NotEqual", "RealDiv", "Sub"], (X, POSITIVE)),
    **dict.fromkeys(["SquaredDifference"], (X, POSITIVE)),
    **dict.fromkeys(["LogicalAnd", "LogicalOr"], (BOOLS, OTHER_BOOLS)),
    "Pow": (POSITIVE, X),
}
_REDUCTIONS = ["Max", "Mean", "Min", "Prod", "Sum"]
SAME = {"strides": [1, 2, 2, 1], "padding": "SAME"}
VALID = {"strides": [1, 1, 1, 1], "padding": "VALID"}
POOL = {"ksize": [1, 3, 2, 1]}
NORM = [Fed(_random.rand(4) + 0.5) for _ in range(4)]
_FUSED = [([images(), *NORM], {"is_training": False, "epsilon": 1e-3})]
FIRST = {"data_format": "NCHW", "is_training": False}


def _sliced(**masks):
    return {f"{name}_mask": mask for name, mask in masks.items()}


# By op: a list of inputs and attributes; arrays that are not `Fed` are constants.
CASES = {
    **{op: [([value], {})] for op, value in _MATHS.items()},
    **{op: [(list(values), {})] for op, values in _PAIRS.items()},
    **{op: [([X, [1]], {"keep_dims": True}), ([X, [0, -1]], {}), ([X, []], {})] for op in _REDUCTIONS},
    **{op: [([BOOLS, [1]], {"keep_dims": True}), ([BOOLS, []], {})] for op in ("All", "Any")},
    **{op: [([X, 1], {}), ([X, 0], {"output_type": tf.int32})] for op in ("ArgMax", "ArgMin")},
    **{op: [([images(), [5, 9]], {}), ([images(), [14, 12]], {})] for op in ("ResizeNearestNeighbor",)},
    "AddN": [([[X, POSITIVE, WITHIN]], {})],
    "AvgPool": [([images()], {**SAME, **POOL}), ([images()], {**VALID, **POOL})],
    "AvgPool3D": [([images(1, 4, 5, 6, 2)], {"ksize": [1, 2, 2, 2, 1], "strides": [1, 2, 1, 2, 1], "padding": "SAME"})],
    "BatchMatMul": [([floats(2, 3, 4), floats(2, 3, 5)], {"adj_x": True}), ([floats(2, 3, 4), floats(2, 4, 5)], {})],
    "BatchMatMulV2": [([floats(2, 1, 3, 4), floats(3, 5, 4)], {"adj_y": True})],
    "BatchToSpaceND": [
        ([images(8, 3, 2, 5), [2, 2], [[1, 0], [0, 2]]], {}),
        ([floats(6, 2, 3), [3], [[1, 1]]], {}),
        ([floats(4, 2, 3), [2, 2], [[0, 0], [0, 1]]], {}),
    ],
    "BiasAdd": [([images(), NORM[0]], {}), ([images(2, 4, 3, 3), NORM[0]], {"data_format": "NCHW"})],
    "BiasAddV1": [([X, NORM[0]], {})],
    "BroadcastTo": [([floats(1, 4), [3, 4]], {})],
    "Cast": [([X], {"DstT": tf.int32}), ([INTS], {"DstT": tf.float64}), ([BOOLS], {"DstT": tf.float32})],
    "CheckNumerics": [([X], {"message": "checked"})],
    "ClipByValue": [([X, -0.5, 0.25], {}), ([X, 0.25, -0.5], {})],
    "Concat": [([1, [X, POSITIVE]], {})],
    "ConcatV2": [([[X, POSITIVE], -1], {}), ([[INTS, DIVISORS], 0], {})],
    "Conv2D": [
        ([images(), floats(3, 2, 4, 5)], SAME),
        ([images(), floats(3, 2, 4, 5)], {**VALID, "dilations": [1, 2, 1, 1]}),
        ([images(), floats(3, 3, 4, 5)], {**VALID, "padding": "SAME", "dilations": [1, 2, 2, 1]}),
    ],
    "Conv2DBackpropInput": [
        ([[2, 9, 8, 3], floats(3, 4, 3, 5), images(2, 5, 4, 5, known=True)], SAME),
        ([[2, 7, 7, 3], floats(3, 4, 3, 5), images(2, 5, 4, 5, known=True)], VALID),
        (
            [[2, 12, 10, 3], floats(2, 2, 3, 5), images(2, 4, 4, 5, known=True)],
            {"strides": [1, 3, 3, 1], "padding": "SAME"},
        ),
    ],
    "Conv3D": [([images(1, 4, 5, 6, 2), floats(2, 3, 2, 2, 3)], {"strides": [1, 1, 2, 1, 1], "padding": "SAME"})],
    "Cumsum": [([X, 0], {}), ([X, -1], {"exclusive": True, "reverse": True})],
    "DepthToSpace": [([images(2, 3, 2, 8)], {"block_size": 2})],
    "DepthwiseConv2dNative": [
        ([images(), floats(3, 2, 4, 2)], SAME),
        ([images(), floats(3, 3, 4, 1)], {**VALID, "dilations": [1, 1, 2, 1]}),
    ],
    "ExpandDims": [([X, 1], {}), ([X, -1], {})],
    "Fill": [([Fed([2, 3], np.int32, known=True), 1.5], {})],
    "FloorDiv": [([INTS, DIVISORS], {}), ([SIGNED, DIVIDING], {})],
    "FloorMod": [([INTS, DIVISORS], {}), ([SIGNED, DIVIDING], {})],
    "FusedBatchNorm": _FUSED,
    "FusedBatchNormV2": _FUSED,
    "FusedBatchNormV3": _FUSED,
    "Gather": [([X, Fed([[2, 0]], np.int32)], {})],
    "GatherNd": [([X, Fed([[2, 0], [1, 3]], np.int32, known=True)], {})],
    "GatherV2": [([X, Fed([[2, 0]], np.int32), 0], {}), ([X, Fed([3, 1], np.int64), 1], {})],
    "IdentityN": [([[X, INTS]], {})],
    "LRN": [([images(2, 3, 2, 9)], {"depth_radius": 2, "alpha": 0.3, "beta": 0.7, "bias": 1.1})],
    "LogicalXor": [],
    "MatMul": [([X, floats(4, 2)], {}), ([X, floats(2, 3)], {"transpose_a": True, "transpose_b": True})],
    "MaxPool": [([images()], {**SAME, **POOL}), ([images()], {**VALID, **POOL})],
    "MaxPool3D": [([images(1, 4, 5, 6, 2)], {"ksize": [1, 2, 2, 2, 1], "strides": [1, 2, 1, 2, 1], "padding": "SAME"})],
    "MirrorPad": [([X, [[1, 0], [2, 1]]], {"mode": "REFLECT"})],
    "Mod": [([INTS, DIVISORS], {})],
    "OneHot": [([Fed([0, 2, -1, 3], np.int32), 3, 2.0, -1.0], {}), ([Fed([[1, 0]], np.int64), 2, 1, 0], {"axis": 0})],
    "Pack": [([[X, POSITIVE]], {"axis": 1}), ([[X, POSITIVE]], {"axis": -1})],
    "Pad": [([X, [[1, 0], [0, 2]]], {})],
    "PadV2": [([X, [[1, 0], [0, 2]], 7.0], {})],
    "PlaceholderWithDefault": [],
    "Range": [([Fed(2, np.int32), 11, 3], {})],
    "Reshape": [([X, [2, -1]], {}), ([X, Fed([4, 3], np.int32, known=True)], {}), ([floats(0, 4), [2, 0]], {})],
    "ResizeBilinear": [
        ([images(), [5, 9]], {}),
        ([images(), [13, 11]], {"align_corners": True}),
        ([images(), Fed([14, 3], np.int32)], {}),
    ],
    "ReverseSequence": [([floats(2, 4, 3), Fed([3, 2], np.int64)], {"seq_dim": 1, "batch_dim": 0})],
    "ReverseV2": [([X, [-1]], {}), ([X, [0, 1]], {})],
    "ScatterNd": [([Fed([[1], [3], [1]], np.int32), floats(3, 2), [5, 2]], {})],
    "Select": [([Fed([True, False, True], np.bool_), X, POSITIVE], {}), ([BOOLS, floats(1, 3), floats(1, 3)], {})],
    "SelectV2": [([BOOLS, floats(2, 3), floats(1, 3)], {})],
    "Slice": [([X, [1, 0], [-1, 3]], {}), ([X, Fed([0, 1], np.int32), Fed([2, -1], np.int32)], {})],
    "SpaceToBatchND": [([images(), [2, 2], [[1, 0], [0, 2]]], {}), ([floats(2, 4, 3), [3], [[1, 1]]], {})],
    "SpaceToDepth": [([images(2, 4, 6, 3)], {"block_size": 2})],
    "Split": [([1, X], {"num_split": 2}), ([0, X], {"num_split": 1})],
    "SplitV": [([X, [1, 3], 1], {"num_split": 2})],
    "Squeeze": [([floats(3, 1, 2, 1)], {"squeeze_dims": [1]}), ([Fed(np.ones([3, 1, 2, 1]), known=True)], {})],
    "StridedSlice": [
        ([X, [1, -1], [3, 0], [1, -2]], {}),
        ([X, [0, 1], [0, 3], [1, 1]], _sliced(shrink_axis=1)),
        ([X, [-1], [0], [1]], _sliced(shrink_axis=1)),
        ([images(), [0, 0, 1], [0, 0, -1], [1, 1, 2]], _sliced(ellipsis=1, new_axis=2)),
        ([images(), [1, 5, 0], [1, 9, 2], [1, -1, 1]], _sliced(begin=2, end=2, shrink_axis=4)),
        ([X, Fed([1, 0], np.int32), Fed([3, 2], np.int32), [1, 1]], _sliced(begin=2)),
    ],
    "Tile": [([X, [2, 3]], {}), ([X, Fed([1, 2], np.int32)], {})],
    "TopKV2": [([X, 2], {}), ([X, Fed(3, np.int32)], {})],
    "Transpose": [([floats(2, 3, 4), [2, 0, 1]], {})],
    "TruncateMod": [([INTS, DIVISORS], {})],
    "Unpack": [([Fed(np.ones([3, 4]), known=True)], {"axis": 1, "num": 4}), ([floats(1, 4)], {"axis": 0, "num": 1})],
    "Where": [([BOOLS], {})],
}
