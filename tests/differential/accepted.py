"""Differences that are accepted, each with its reason."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from differential import checks
from differential.comparison import Difference


class Accepted(NamedTuple):
    """A class of differences.

    Attributes:
        reason: why it is accepted.
        kind: a regular expression of the difference's whole kind.
        about: a regular expression of all that the program is about.
        tensorflow: a regular expression of something that TensorFlow gives.
        ours: the same of what we give.
        where: a regular expression of the difference's place.
        check: what must be true of both besides.
    """

    reason: str
    kind: str
    about: str = ".*"
    tensorflow: str = ""
    ours: str = ""
    where: str = ""
    check: Callable[[Any, Any], bool] = lambda tensorflow, ours: True


ACCEPTED = [
    Accepted("more is known of a shape here", "static shape", check=checks.knows_more),
    Accepted(
        "kernels here take more types than TensorFlow's",
        "error",
        tensorflow="No OpKernel was registered|mixed precision is disallowed|Unhandled input data type|No WhereOp ",
    ),
    Accepted(
        "these ops were removed from TensorFlow's graphs, and old GraphDefs have them",
        "build error",
        tensorflow="is not available in GraphDef version",
    ),
    Accepted(
        "which element of an infinite or NaN spectrum is NaN depends on the order of the additions",
        "value",
        about=".*FFT.*",
        tensorflow="nan|inf",
    ),
    Accepted(
        "operators write the ops of TensorFlow 1.8, which every 1.x loads",
        "name",
        tensorflow=r"^(\S+) \((AddV2|BatchMatMulV2)\)$",
        ours=r"\((Add|BatchMatMul)\)$",
        check=lambda tensorflow, ours: tensorflow.split()[0] == ours.split()[0],
    ),
    Accepted(
        "`where` is the op of TensorFlow 1.8, which every 1.x loads",
        "name",
        tensorflow="SelectV2",
        check=checks.is_older,
    ),
    Accepted(
        "gradient rules use fewer nodes here, and the gradient of a loop or conditional is one of its own",
        "name",
        tensorflow=r"^gradients(_\d+)?/",
        ours=r"^gradients(_\d+)?/",
    ),
    Accepted(
        "gradients of loops and of ops that TensorFlow cannot differentiate, or not without a static shape",
        "build error",
        tensorflow="Second-order gradient for while loops|No gradient defined|unsupported operand .* 'NoneType'",
    ),
    Accepted(
        "1.15 fails where a static shape is missing",
        "build error",
        tensorflow="'>' not supported between instances of 'NoneType'|must be <= params.rank",
    ),
    Accepted(
        "TensorFlow's kernel lacks what pooling along depth does here", "error", tensorflow="on the depth dimension"
    ),
    Accepted(
        "vectors of eigenvalues and singular values have no certain sign, and none where there are none",
        "value|fetched shape",
        about="(gradient of )?(Batch)?(SelfAdjointEig|Svd|Qr).*",
    ),
    Accepted(
        "matrices with infinities and NaN have an error here and junk there",
        "error",
        about="Qr|SelfAdjoint.*",
        ours="not successful",
    ),
    Accepted(
        "constants are looked at when the graph is built",
        "build error",
        tensorflow=r"when run: (InvalidArgument|OutOfRange|Unimplemented)Error",
        ours="^(ValueError|InvalidArgumentError|UnimplementedError)",
    ),
    Accepted(
        "TensorFlow reads beyond its inputs",
        "error",
        about="(gradient of )?(.*Pool.*Grad.*|Dilation2D.*|(Rsqrt|Sqrt|Sigmoid|Tanh|Reciprocal|Inv)Grad|UnravelIndex)",
        tensorflow="^no error",
        ours="^InvalidArgumentError",
    ),
    Accepted(
        "TensorFlow does not merge the shapes",
        "build error",
        about="(gradient of )?(Inv|Reciprocal|Rsqrt|Sqrt|Tanh|Sigmoid)Grad",
        ours="must be equal",
    ),
    Accepted(
        "a window without elements gives the least number there",
        "build error",
        about="(gradient of )?Dilation2D.*",
        ours="ksize must be positive, but got 0",
    ),
    Accepted(
        "TensorFlow lacks sparse updates of variables behind handles here",
        "build error",
        about="(AddSign|PowerSign)Optimizer, sparse",
        tensorflow="^NotImplementedError",
        ours="^no error",
    ),
    Accepted(
        "fused normalization is one operation of TensorFlow 1.8, which every 1.x loads",
        "name",
        tensorflow="FusedBatchNormV3",
        ours="FusedBatchNorm",
    ),
    Accepted("kernels here take any rank", "error", tensorflow="Only tensors with ranks between", ours="^no error"),
    Accepted("handles of sparse tensors are numbered in another order", "value", about="Add(Many)?Sparse.*TensorsMap"),
    Accepted(
        "scores of conditional random fields are computed by other operations here",
        "name",
        about="crf",
        tensorflow=r"^Sum",
        ours=r"^Sum",
    ),
    Accepted(
        "an assertion is one operation here, one in a conditional there, and branches of known ranks are none",
        "number of nodes",
        about="function (confusion|parts|picture|entropy|clip)",
        check=checks.has_fewer,
    ),
    Accepted(
        "pictures of float64 are resized in float32 there", "value", about="function picture", check=checks.are_near
    ),
    Accepted(
        "the axis of an unknown rank is checked in the step",
        "build error",
        about="function parts",
        tensorflow="axis must be >= -1",
        ours="when run: InvalidArgumentError",
    ),
    Accepted("1.15 has no gradient for it", "description|build error", about="function reduction", tensorflow="None"),
    Accepted("gradients that vanish are what is left of rounding", "value", about="function .*", check=checks.vanishes),
    Accepted("types that only later TensorFlow has", "build error", about=".*R?FFT.*", tensorflow="complex128"),
    Accepted(
        "TensorFlow's loops fail where a gradient is of another type than the state",
        "error",
        about="chain",
        tensorflow="incompatible with expected double",
    ),
    Accepted("1.15 has no gradient for it", "description|error", about="gradient of EuclideanNorm", tensorflow="None"),
    Accepted("gradients that broadcast fail in 1.15", "build error", tensorflow="calculated input gradient"),
    Accepted(
        "a handle names no container here",
        "value",
        about=".*(Queue|Table|Reader|Barrier|SessionHandle|Stack).*",
        tensorflow="localhost",
    ),
    Accepted("pictures are compressed otherwise", "value", about="Encode(Png|Jpeg).*"),
    Accepted("a crop is one of the whole picture here", "value", about="DecodeAndCropJpeg"),
    Accepted("messages have their fields in another order", "value", about="TensorSummary|DecodeJSONExample"),
    Accepted(
        "where a step depends on its symbol alone, orders of the same symbols have equal scores but for rounding",
        "value",
        about="seq2seq with .*, beams",
        check=checks.has_the_same_symbols,
    ),
    Accepted(
        "indices without values are an error here and junk there",
        "error",
        about="SparseTensorDenseAdd",
        tensorflow="^no error",
        ours="Dimensions [0-9]+ and [0-9]+ are not compatible",
    ),
    Accepted(
        "whether an infinity is multiplied by a padded zero",
        "value",
        about="Conv3DBackprop(Filter|Input)V2|(gradient of )?DepthwiseConv2dNative.*",
        tensorflow="inf",
        check=checks.differ_in_nan_alone,
    ),
    Accepted(
        "the gradient of a loop's gathered result is dense here, and TensorFlow's loop carries slices",
        "description|name",
        about="chain",
        tensorflow=r"_grad/Exit_1:0', 'Exit', 'int32'|UnsortedSegmentSum",
        ours="_grad/Exit",
    ),
    Accepted(
        "1.15 builds no gradient of a partition of nothing",
        "build error",
        about="gradient of DynamicPartition",
        tensorflow=r"Cannot reshape a tensor with 1 elements to shape \[0\]",
        ours="^no error",
    ),
    Accepted(
        "nothing is gathered in the shape of the elements that were written; TensorFlow requires a static one",
        "error",
        about="array, gather",
        tensorflow="TensorArray has size zero, but element shape .* is not fully defined",
        ours="^no error",
    ),
    Accepted(
        "a step of float16 is the exact one, rounded once, here; TensorFlow rounds each of its operations, and divides"
        " by squares that are too small for the type",
        "value",
        about=".*Optimizer, (sparse|dense)",
        check=checks.are_short_and_near,
    ),
    Accepted(
        "roots of matrices of nearly dependent gradients lose digits of float32",
        "value",
        about="ShampooOptimizer, .*",
        check=lambda tensorflow, ours: np.allclose(tensorflow, ours, rtol=1e-4, atol=1e-6),
    ),
    Accepted(
        "rows that no index names are zeros here and junk there",
        "value",
        about="DynamicStitch",
        check=lambda tensorflow, ours: (
            np.shape(tensorflow) == np.shape(ours)
            and not np.asarray(ours)[np.asarray(tensorflow) != np.asarray(ours)].any()
        ),
    ),
    Accepted(
        "1.15 fails where a static shape is missing",
        "build error",
        about="losses.sparse_softmax_cross_entropy",
        tensorflow="^IndexError: list index out of range",
        ours="^no error",
    ),
    Accepted(
        "TensorFlow's assertion has no message",
        "build error",
        about="ShampooOptimizer, sparse",
        tensorflow="^AssertionError",
        ours="^ValueError: mat_gbar_decay must be 1 for sparse gradients",
    ),
    Accepted(
        "TensorFlow gives the values of a gathered gradient the place of the whole gradient in a loop",
        "build error",
        about="chain",
        tensorflow="Cannot update edge, incompatible shapes",
        ours="^no error",
    ),
    Accepted("what is not sorted has no certain order", "value", about="TopKV2?"),
    Accepted("TensorFlow's shape is that of another rank", "static shape", about="Unique.*V2|ParallelDynamicStitch"),
    Accepted("reserved spaces that nothing reads", "fetched shape", about="FusedBatchNormGrad.*", tensorflow=r"^\[\]$"),
    Accepted("TensorFlow gives 0 for NaN of float16", "value", about="Cosh|Sinh", ours="nan"),
    Accepted(
        "kernels lack it there",
        "error",
        tensorflow="only supports (the )?NHWC|Unexpected error in binary|to be floating or complex for abs",
    ),
    Accepted(
        "the limit at infinity, which TensorFlow gives as NaN", "value", about="Igammac?|Betainc", tensorflow="nan"
    ),
    Accepted("attributes that contradict each other", "error", about="Angle|Complex.*|Real|Imag", ours="No OpKernel"),
    Accepted(
        "made of fewer nodes here: only seeds of random ops after them, which have none of their own, differ",
        "number of nodes",
        about="(chain|seq2seq|losses|contrib|layers|static|dynamic|bidirectional).*"
        "|.*, (sparse|dense|sample|statistic|value|divergence)",
        check=checks.has_fewer,
    ),
    Accepted(
        "scores of sequences of one step are no conditional of their own here",
        "number of nodes",
        about="crf.*",
    ),
    Accepted(
        "predictions and thresholds are broadcast here; TensorFlow writes copies of them",
        "number of nodes",
        about="metrics.*",
    ),
    Accepted(
        "what is asserted of a picture's sizes is one operation here",
        "number of nodes|name",
        about="pictures, (flip|transpose|central|pad_box|crop_box|standardize)",
    ),
    Accepted(
        "a quarter turn that is known is made alone, and so is a turn of pictures whose rank is unknown",
        "number of nodes|name",
        about="pictures, rot90",
    ),
    Accepted(
        "a random flip compares its number with one half, and TensorFlow rounds the number",
        "number of nodes|name",
        about="pictures, random_flip",
    ),
    Accepted(
        "filters of each channel are sums of shifted pictures here, and depthwise convolutions there",
        "number of nodes|name",
        about="pictures, (sobel|ssim)",
    ),
    Accepted(
        "pictures of whole numbers are standardized as in 1.8", ".*dtype", about="pictures, standardize", ours="float32"
    ),
    Accepted(
        "pictures of float64 are standardized in float32 there",
        "value",
        about="pictures, standardize",
        check=checks.are_near,
    ),
    Accepted(
        "a gather in batches is one operation here; that of a vector has slices for its gradient",
        "description",
        about="arrays, batch_gather",
        tensorflow="Reshape_1_grad/Reshape:0",
        ours="GatherV2_grad/Reshape_1:0",
    ),
    Accepted(
        "negative dimensions are refused when the graph is built, which 1.15 takes for sizes in the step",
        "build error",
        about="arrays, reverse_sequence",
        ours="^ValueError: (seq|batch)_dim must be >= 0",
    ),
    Accepted(
        "numbers of 8 and 16 bits are sorted, which 1.15 negates and so refuses",
        "build error",
        about="arrays, sort",
        tensorflow="Value passed to parameter 'x' has DataType u?int(8|16) not in list",
        ours="^no error",
    ),
    Accepted(
        "1.15 takes an unknown rank of the lengths for rank -1, and sizes that may be equal for different ones",
        "build error",
        about="strings, substr",
        tensorflow=r"Shape must be rank -1 but is rank|pos and len shapes must match: .*\?",
        ours="^no error",
    ),
    Accepted(
        "1.15 fails where a static shape is missing",
        "build error",
        about="sparse, reset_shape",
        tensorflow="'NoneType' object is not subscriptable",
        ours="^no error",
    ),
    Accepted(
        "which channel of a pixel with infinities is infinite, and which NaN",
        "value",
        about="pictures, hue",
        tensorflow="inf|nan",
    ),
    Accepted("the name of a checkpoint is a constant, as in 1.8", "number of nodes", about="variables, .*"),
    Accepted("a gather in batches is one operation here", "number of nodes|name", about="arrays, batch_gather"),
    Accepted("a sort takes its axis to the end by other operations", "number of nodes|name", about="arrays, sort"),
    Accepted("norms of several matrices are made without a loop", "number of nodes|name", about="arrays, norms"),
    Accepted(
        "the known shape of a transposed sparse tensor is a constant here",
        "number of nodes|name",
        about="sparse, transpose",
    ),
    Accepted(
        "arrays of strings may be empty here", "error", about="array, .*", tensorflow="type not supported: string"
    ),
    Accepted("integers have bitwise operators here", "build error", about="arrays, operator", tensorflow="Logical"),
    Accepted(
        "TensorFlow gives a loop's gradient the static shape of its result's, also where the body changes shapes",
        "static shape",
        about="chain",
        ours="None",
        check=lambda tensorflow, ours: checks.knows_more(ours, tensorflow),
    ),
    Accepted(
        "a saturating cast to int32 ends at the largest float below 2^31; TensorFlow's becomes negative beyond",
        "value",
        about="pictures, brightness",
        tensorflow="-2147483648",
        ours="2147483520",
    ),
    Accepted("arrays of second gradients collide there", "error", about="chain", tensorflow="Wrong input container"),
    Accepted(
        "1.15's optimizer joins a shuffle and a repetition of nothing to an op that refuses it",
        "error",
        about="dataset",
        tensorflow="count must be greater than zero or equal to -1|the iterator has not been initialized",
        ours="^(no error|OutOfRangeError: End of sequence)",
    ),
    Accepted(
        "divergences of nearly equal distributions are what is left of rounding",
        "value",
        about=".*, divergence",
        check=checks.is_close,
    ),
    Accepted("gradients that vanish are what is left of rounding", "value", about="chain", check=checks.vanishes),
    Accepted(
        "1.15's proximal optimizers take float32 alone",
        "build error",
        about="Proximal.*",
        tensorflow="^TypeError: Input '(lr|grad|alpha|delta)' of '(Resource)?(Sparse)?ApplyProximal",
    ),
    Accepted(
        "TensorFlow orders no decay before or after what reads the variable; here reads see the start of the step",
        "value",
        about="(MomentumW|AdamW)Optimizer, (sparse|dense)",
    ),
    Accepted(
        "losses of float64 are summed up in float32",
        "value",
        about="losses.*",
        check=checks.are_near,
    ),
    Accepted(
        "singular vectors of nearly equal gradients have few digits of float32",
        "value",
        about="GGTOptimizer, dense",
        check=checks.has_three_digits,
    ),
    Accepted(
        "1.15's own error for sparse gradients is a wrong call",
        "build error",
        about="GGTOptimizer, sparse",
        tensorflow="_apply_sparse\\(\\) takes 3 positional",
        ours="^NotImplementedError: Sparse gradient updates are not supported",
    ),
    Accepted(
        "distribution functions of values of another rank than the parameters are broadcast here",
        "build error",
        about="Beta, value",
        tensorflow="Shapes must be equal rank, .* for 'Beta/cdf/Betainc",
        ours="^no error",
    ),
    Accepted(
        "parts of sparse tensors that do not fit each other are an error here and junk there",
        "error",
        about="SerializeSparse|SparseReduce(Max|Sum)(Sparse)?|SparseDenseCwise.*",
        tensorflow="^no error",
        ours="do not match|out of bounds",
    ),
    Accepted(
        "TensorFlow ends a string at its zero byte",
        "value",
        about="StringUpper|StringLower",
        ours=r"\\x00|\x00",
    ),
    Accepted(
        "greys become colours here", "error", about="DecodeBmp", tensorflow="does not match bits", ours="^no error"
    ),
    Accepted(
        "outputs of training that nothing writes otherwise are junk there",
        "value",
        about="FusedBatchNorm(V2)?",
        where=r"value [1-4]\b",
        check=checks.is_junk,
    ),
    Accepted(
        "sums of no rows are junk there", "value", about="gradient of SparseSegment.*", check=checks.vanishes_here
    ),
    Accepted(
        "an attribute that cannot be is an error when the graph is built",
        "build error",
        about="(gradient of )?(Avg|Max)PoolGrad.*",
        tensorflow="^no error",
        ours="Stride must be > 0",
    ),
    Accepted(
        "1.15's own rule of the gradient is a wrong call",
        "build error",
        about="gradient of SparseSparse(Maximum|Minimum)",
        tensorflow="takes 2 positional arguments",
        ours="^NotImplementedError",
    ),
    Accepted(
        "a division of whole numbers has no kernel; TensorFlow folds constants by another op",
        "error",
        about="RealDiv",
        tensorflow="^no error",
        ours="No OpKernel",
    ),
    Accepted(
        "sizes of a split along an unknown dimension are compared with the last one there",
        "build error",
        about="SplitV",
        tensorflow="can't split axis of size",
        ours="when run: InvalidArgumentError",
    ),
    Accepted("types that only later TensorFlow has", "build error", about="Conv2D", tensorflow="DataType int32"),
    Accepted(
        "types that only later TensorFlow has",
        "build error",
        about=".*R?FFT.*",
        tensorflow="float64",
    ),
    Accepted(
        "a window without an element above zero counts as its first place there",
        "value",
        about="Dilation2DBackprop(Filter|Input)",
        check=checks.are_integers,
    ),
    Accepted(
        "spectra that vanish are what is left of rounding",
        "value",
        about="gradient of I?R?FFT.*",
        check=checks.is_close,
    ),
    Accepted("a window is greater than an empty picture", "error", about="AvgPool3D", ours="size would be negative"),
    Accepted("numbers that are not finite", "value", about="CholeskyGrad", tensorflow="nan|inf"),
    Accepted(
        "a matrix with NaN has an error there",
        "error",
        about="(gradient of )?MatrixSquareRoot",
        tensorflow="not invertible",
        ours="^no error",
    ),
    Accepted(
        "similarities of pictures are sums in another order", "value", about="pictures, ssim", check=checks.is_close
    ),
    Accepted(
        "a matrix norm of a vector of whole numbers has two faults, and the other one is found first",
        "build error",
        about="arrays, norms",
        tensorflow="^TypeError: Value passed to parameter 'input' has DataType int64",
        ours="^ValueError: Dimension must be",
    ),
    Accepted(
        "parts of sparse tensors that do not fit each other are refused when the graph is built",
        "build error",
        about="SerializeSparse",
        ours="^(ValueError|InvalidArgumentError)",
    ),
    Accepted("without rows nothing is written there", "value", about="MatrixSolveLs", check=checks.vanishes_here),
    Accepted("no index is taken for index 0 there", "static shape", about="DynamicStitch", tensorflow=r"^\[1[,\]]"),
    Accepted("names that are not in ferroflow are listed in docs", "build error", ours="is not in ferroflow"),
    Accepted(
        "beams of equal probability have no order",
        "value",
        about="CTCBeamSearchDecoder",
        where=r"value \d+ \(differs\)",
        check=checks.has_the_same_numbers,
    ),
    Accepted(
        "norms of nearly equal numbers magnify rounding: inputs that differ by 6e-8 move both gradients by 1e-4",
        "value",
        about=".*LayerNormBasicLSTMCell",
        check=checks.has_four_digits,
    ),
    Accepted(
        "reserved spaces that nothing reads",
        "fetched shape",
        about="gradient of FusedBatchNorm",
        tensorflow=r"^\[\]$",
        ours=r"^\[0\]$",
    ),
    Accepted(
        "TensorFlow's shape is that of another rank",
        "static shape",
        about="GatherV2",
        tensorflow=r"^\[None",
        ours="^None$",
    ),
    Accepted(
        "more is known of a shape here",
        "build error",
        about="chain",
        tensorflow="It enters the loop with shape <unknown>",
        ours="^no error",
    ),
    Accepted("spectra of nothing are junk there", "value", about="RFFT[23]D", check=checks.is_tiny_junk),
    Accepted("weights of pictures are of float32", "value", about="gradient of ResizeBicubic", check=checks.are_near),
    Accepted(
        "gradients that vanish are what is left of rounding", "value", about="Dirichlet, sample", check=checks.vanishes
    ),
    Accepted(
        "TensorFlow's formula loses turns of the angle beyond pi",
        "value",
        about="Expm1",
        check=checks.differ_in_turns,
    ),
    Accepted(
        "parts of sparse tensors that do not fit each other are an error here and junk there",
        "error",
        about="SparseSparse(Maximum|Minimum)",
        tensorflow="^no error",
        ours="Index rank .* and shape rank .* do not match",
    ),
    Accepted(
        "numbers that are not numbers have no order; TensorFlow's is that of a heap",
        "value",
        about="arrays, sort",
        tensorflow="nan",
        check=checks.sorts_alike,
    ),
]


def reason(about: str, found: Difference) -> str | None:
    """Why a difference is accepted; None where it is not."""
    for entry in ACCEPTED:
        if (
            re.fullmatch(entry.kind, found.kind)
            and re.fullmatch(entry.about, about)
            and re.search(entry.tensorflow, str(found.tensorflow))
            and re.search(entry.ours, str(found.ours))
            and re.search(entry.where, found.where)
            and entry.check(found.tensorflow, found.ours)
        ):
            return entry.reason
    return None
