"""Gradient functions at TensorFlow's internal paths, such as `python.ops.nn_grad._ReluGrad`: their names, as data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ferroflow._src.base.docstrings import document
from ferroflow._src.framework.gradient_registry import rules

# By module: op types whose function is named `_TYPEGrad`.
_REGULAR: Final = {
    "python.ops.array_grad": (
        "BatchToSpace BatchToSpaceND BroadcastTo CheckNumerics Concat ConjugateTranspose DepthToSpace Diag "
        "DiagPart ExpandDims ExtractImagePatches ExtractVolumePatches Fill Gather GatherNd GatherV2 "
        "MatrixBandPart MatrixDiag MatrixDiagPart MatrixDiagPartV2 MatrixDiagV2 MatrixSetDiag MirrorPad "
        "MirrorPadGrad Pack Pad PreventGradient QuantizeAndDequantize QuantizeAndDequantizeV2 "
        "QuantizeAndDequantizeV3 Reshape ResourceGatherNd Reverse ReverseSequence ReverseV2 ScatterNd "
        "ScatterNdNonAliasingAdd Slice SpaceToBatch SpaceToBatchND SpaceToDepth Split SplitV Squeeze "
        "StridedSlice StridedSliceGrad TensorScatterAdd TensorScatterSub TensorScatterUpdate Tile Transpose "
        "Unpack"
    ),
    "python.ops.control_flow_grad": "Enter Exit LoopCond Merge NextIteration RefEnter RefMerge RefNextIteration",
    "python.ops.image_grad": (
        "CropAndResize RGBToHSV ResizeBicubic ResizeBilinear ResizeNearestNeighbor ScaleAndTranslate"
    ),
    "python.ops.linalg_grad": (
        "Cholesky LogMatrixDeterminant MatrixDeterminant MatrixInverse MatrixSolve MatrixSolveLs "
        "MatrixSquareRoot MatrixTriangularSolve Qr SelfAdjointEigV2 Svd TridiagonalMatMul TridiagonalSolve"
    ),
    "python.ops.manip_grad": "Roll",
    "python.ops.math_grad": (
        "Abs Acos Acosh Add AddN Angle ArgMax ArgMin Asin Asinh Atan Atan2 Atanh BesselI0e BesselI1e Betainc "
        "Cast Ceil Complex ComplexAbs Conj Cos Cosh Cross Cumprod Cumsum CumulativeLogsumexp Digamma Div "
        "DivNoNan Erf Erfc Exp Expm1 Floor FloorDiv FloorMod Igamma Igammac Imag Inv InvGrad Lgamma Log Log1p "
        "MatMul Max Maximum Mean Min Minimum Mul MulNoNan Neg NextAfter Polygamma Pow Prod Real RealDiv "
        "Reciprocal ReciprocalGrad Rint Round Rsqrt RsqrtGrad SegmentMax SegmentMean SegmentMin SegmentSum "
        "Select Sigmoid SigmoidGrad Sign Sin Sinh SparseMatMul SparseSegmentMean "
        "SparseSegmentMeanWithNumSegments SparseSegmentSqrtN SparseSegmentSqrtNWithNumSegments "
        "SparseSegmentSum SparseSegmentSumWithNumSegments Sqrt SqrtGrad Square SquaredDifference Sub Sum Tan "
        "Tanh TanhGrad TruncateDiv UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd "
        "UnsortedSegmentSum Zeta"
    ),
    "python.ops.nn_grad": (
        "AvgPool AvgPool3D AvgPool3DGrad AvgPoolGrad BatchNormWithGlobalNormalization BiasAdd BiasAddGrad "
        "Conv2D Conv2DBackpropFilter Conv2DBackpropInput Conv3D DepthwiseConv2dNative "
        "DepthwiseConv2dNativeBackpropFilter DepthwiseConv2dNativeBackpropInput Dilation2D Elu EluGrad "
        "FractionalAvgPool FractionalMaxPool FusedBatchNorm FusedBatchNormGrad FusedBatchNormV2 "
        "FusedBatchNormV3 L2Loss LRN LeakyRelu LeakyReluGrad LogSoftmax MaxPool MaxPool3D MaxPool3DGrad "
        "MaxPool3DGradGrad MaxPoolGrad MaxPoolGradGrad NthElement Relu Relu6 Relu6Grad ReluGrad Selu SeluGrad "
        "Softmax SoftmaxCrossEntropyWithLogits Softplus SoftplusGrad Softsign "
        "SparseSoftmaxCrossEntropyWithLogits TopK"
    ),
    "python.ops.optional_grad": "OptionalFromValue OptionalGetValue",
    "python.ops.random_grad": "RandomGamma",
    "python.ops.sparse_grad": (
        "SparseAdd SparseDenseCwiseAdd SparseDenseCwiseDiv SparseDenseCwiseMul SparseFillEmptyRows "
        "SparseReduceSum SparseReorder SparseSlice SparseSoftmax SparseSparseMaximum SparseSparseMinimum "
        "SparseTensorDenseAdd SparseTensorDenseMatMul SparseToDense"
    ),
    "python.ops.tensor_array_grad": (
        "TensorArrayConcat TensorArrayGather TensorArrayRead TensorArrayScatter TensorArraySplit TensorArrayWrite"
    ),
}
# By module: the other functions, with their op types.
_IRREGULAR: Final = {
    "python.ops.array_grad": {
        "_ConcatGradV2": "ConcatV2",
        "_IdGrad": "Identity",
        "_IdNGrad": "IdentityN",
        "_MatrixSetDiagGradV2": "MatrixSetDiagV2",
        "_RefIdGrad": "RefIdentity",
    },
    "python.ops.control_flow_grad": {
        "_SwitchGrad": "RefSwitch",
    },
    "python.ops.cudnn_rnn_grad": {
        "_cudnn_rnn_backward": "CudnnRNN",
        "_cudnn_rnn_backward_v2": "CudnnRNNV2",
        "_cudnn_rnn_backwardv3": "CudnnRNNV3",
    },
    "python.ops.data_flow_grad": {
        "_DynamicPartitionGrads": "DynamicPartition",
        "_DynamicStitchGrads": "DynamicStitch",
    },
    "python.ops.math_grad": {
        "_BatchMatMul": "BatchMatMul",
        "_BatchMatMulV2": "BatchMatMulV2",
        "_SelectGradV2": "SelectV2",
        "_XDivyGrad": "Xdivy",
        "_XLogyGrad": "Xlogy",
    },
    "python.ops.nn_grad": {
        "_BiasAddGradV1": "BiasAddV1",
        "_Conv3DBackpropFilterGrad": "Conv3DBackpropFilterV2",
        "_Conv3DBackpropInputGrad": "Conv3DBackpropInputV2",
        "_FusedBatchNormGradGradV2": "FusedBatchNormGradV2",
        "_FusedBatchNormGradGradV3": "FusedBatchNormGradV3",
        "_MaxPoolGradGradV2": "MaxPoolGradV2",
        "_MaxPoolGradV2": "MaxPoolV2",
        "_MaxPoolGradWithArgmax": "MaxPoolWithArgmax",
    },
    "python.ops.rnn_grad": {
        "_block_lstm_grad": "BlockLSTM",
    },
}


def gradient_names(path: str) -> frozenset[str]:
    """Returns the names of the gradient functions that TensorFlow 1.15's module defines."""
    regular = (f"_{op_type}Grad" for op_type in _REGULAR.get(path, "").split())
    return frozenset((*regular, *_IRREGULAR.get(path, ())))


def gradient_function(path: str, name: str) -> Callable[..., Any] | None:
    """Returns the function of a module that gives an op type's gradients; None if it has none of that name."""
    if name not in gradient_names(path):
        return None
    op_type = _IRREGULAR.get(path, {}).get(name) or name.removeprefix("_").removesuffix("Grad")
    rule = rules().get(op_type)
    if rule is None:
        return None

    def gradient(op: Any, *grads: Any) -> Any:
        found = rule(op, *grads)
        return found[0] if isinstance(found, list | tuple) and len(found) == 1 else found

    summary = f"Returns the gradients of the inputs of a `{op_type}` operation, given those of its outputs."
    document(gradient, summary, name=name)
    return gradient
