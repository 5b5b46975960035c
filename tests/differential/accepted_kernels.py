"""Accepted differences of calls that a kernel of 1.15 cannot run, or runs without a look at what it gets."""

from __future__ import annotations

import numpy as np
from differential import checks, program_checks
from differential.acceptance import Accepted

KERNELS = [
    Accepted(
        "kernels of the CPU lack it there",
        "error",
        about="(gradient of )?(Conv[23]D.*|Quantized.*Conv2D|DepthwiseConv2dNative.*)",
        tensorflow="^InvalidArgumentError: (2 root error.*\n *.0. Invalid argument: )?"
        "(Current .* do(es)? not yet support dilation rates larger than 1"
        "|CPU implementation of Conv3D currently only supports dilated rates of 1"
        "|Current implementation only supports equal length strides)",
        ours="^no error",
    ),
    Accepted(
        "1.15 does not read the dilations of convolutions of each channel",
        "(build )?error|value|static shape|fetched shape",
        about="(gradient of )?DepthwiseConv2dNative.*",
        of_program=program_checks.dilates,
    ),
    Accepted(
        "a size or a distance of windows that is not positive is refused when the graph is built",
        "build error",
        about="(gradient of )?(Quantized)?((Avg|Max)Pool.*|Dilation2D.*)",
        ours="^ValueError: (Sliding window ksize must be positive|Rate must be > 0|Stride must be > 0)",
    ),
    Accepted(
        "1.15 runs types without a kernel on XLA's device, which pools along batches and channels",
        "error",
        about="(gradient of )?(Avg|Max)Pool3D",
        tensorflow="^(no error|InvalidArgumentError: [\\s\\S]*Window dimensions)",
        ours="^UnimplementedError: Pooling is not yet supported on the (batch|depth) dimension",
    ),
    Accepted(
        "TensorFlow refuses to pool fractions of batches and of channels together alone",
        "error",
        about="(gradient of )?Fractional(Avg|Max)Pool",
        tensorflow="^no error",
        ours="^UnimplementedError: Fractional pooling is not yet supported on the batch nor channel dimension",
    ),
    Accepted(
        "paddings of more than 31 bits are refused when the graph is built, and need more memory than there is in"
        " the step",
        "build error",
        about="(gradient of )?Conv2D",
        tensorflow="when run: ResourceExhaustedError",
        ours="^ValueError: All elements of explicit_paddings must be nonnegative",
    ),
    Accepted(
        "classes with weights that cannot be, or of numbers that contradict each other, are refused here",
        "error",
        about="(gradient of )?FixedUnigramCandidateSampler",
        tensorflow="^no error",
        ours="^InvalidArgumentError: (the weights of classes must be|num_reserved_ids = .* make no sense|range_max is)",
    ),
    Accepted(
        "attributes that contradict each other",
        "error",
        about="(gradient of )?SparseCross",
        tensorflow="^no error",
        ours="^InvalidArgumentError: SparseCross gives int64 where its output is hashed",
    ),
    Accepted(
        "TensorFlow looks for a split as if there were one logit",
        "error",
        about="BoostedTreesCalculateBestFeatureSplit",
        tensorflow="^no error",
        ours="^UnimplementedError: BoostedTreesCalculateBestFeatureSplit supports one logit",
    ),
    Accepted(
        "TensorFlow reads and writes beyond its inputs",
        "error",
        about="(gradient of )?(BlockLSTM(Grad)?(V2)?|QuantizedBatchNormWithGlobalNormalization"
        "|BoostedTrees(AggregateStats|CalculateBestGainsPerFeature|MakeStatsSummary)|LearnedUnigramCandidateSampler"
        "|MatrixDiag(Part)?V2|FusedBatchNorm(V[23])?|SparseCross|EditDistance|Bincount|RaggedTensorTo(Sparse|Tensor)"
        "|SparseSlice|.*SetOperation|Sparse(Add|Slice)Grad|BoostedTreesBucketize|(Upper|Lower)Bound|SerializeSparse|Substr|Deserialize.*Sparse)",
        tensorflow="^(no error|ResourceExhaustedError)",
        ours="^InvalidArgumentError: (.* must (have shape|have an element for each|be (a )?scalar|be below)"
        "|.* must have the same (shape|number of elements as the channels)|.* must be a (matrix with a row|vector)"
        "|.* must be sorted|Buckets should be flat vectors|.* out of (range|bounds|order)|weights has"
        "|Expected start of dimension|Leading dim_size of both tensors must match"
        "|Dimension -1 must be|.* must be in|Values should be flat vectors|pos and len should have the same shape"
        "|.* should be a matrix)",
    ),
    Accepted(
        "parts of sparse tensors that do not fit each other are refused when the graph is built",
        "build error",
        about="(gradient of )?Sparse.*",
        ours=r"^ValueError: (Index rank \(\d+\) and shape rank|Number of elements in index)",
    ),
    Accepted(
        "parts of sparse tensors that do not fit each other are an error here and junk there",
        "error",
        about="(gradient of )?Sparse.*",
        tensorflow="^(no error|ResourceExhaustedError)",
        ours="^InvalidArgumentError: Index rank .* and shape rank .* do not match",
    ),
    Accepted(
        "numbers that are refused where they are not scalars",
        "build error",
        about="(gradient of )?(QuantizedBatchNormWithGlobalNormalization|BoostedTreesCalculateBestGainsPerFeature)",
        ours="^ValueError: Shape must be rank 0 but is rank",
    ),
    Accepted(
        "an axis counts from the end here, as in later TensorFlow",
        "error",
        about="(gradient of )?SparseSplit",
        tensorflow="num_dim must be in the interval",
        ours="^no error",
    ),
    Accepted(
        "1.15's gradient sets the main diagonal, whichever was set",
        "error",
        about="gradient of MatrixSetDiagV2",
        tensorflow="^InvalidArgumentError: Either first dimensions of diagonal don't match",
        ours="^no error",
        of_program=program_checks.sets_another_diagonal,
    ),
    Accepted(
        "a matrix of tiny numbers is none that 1.15's gradient can invert",
        "error",
        about="gradient of Qr",
        tensorflow="^InvalidArgumentError: Input matrix is not invertible",
        ours="^no error",
    ),
    Accepted(
        "paddings of the batch are those of the static shape alone there",
        "static shape",
        about="(gradient of )?Fused(ResizeAnd)?PadConv2D",
        check=lambda tensorflow, ours: tensorflow[1:] == ours[1:],
    ),
    Accepted(
        "a range of more numbers than there can be is refused here",
        "error",
        about="RaggedRange",
        tensorflow="^no error",
        ours=r"^InvalidArgumentError: Requires \(\(limit - start\) / delta\) <=",
    ),
    Accepted(
        "beams of equal probability have no order",
        "fetched shape",
        about="CTCBeamSearchDecoder",
        of_program=program_checks.has_equal_inputs,
    ),
    Accepted(
        "boxes with NaN have no area that is compared",
        "value|fetched shape",
        about="NonMaxSuppression.*",
        of_program=program_checks.has_nan,
    ),
    Accepted(
        "which results of huge numbers, infinities and NaN are finite depends on the formula",
        "value",
        about="(gradient of )?(BlockLSTM.*|Betainc|Conv.*Backprop.*|DepthwiseConv2dNative.*|FakeQuant.*Gradient"
        "|FusedBatchNormGrad.*|Igamma.*|LinSpace|MatrixSolve|MaxPool3DGradGrad|Polygamma|RandomGammaGrad|Rsqrt"
        "|ScaleAndTranslate|TridiagonalSolve|Zeta)",
        where="elsewhere",
        check=checks.agree_where_both_are_finite,
        of_program=program_checks.has_huge_numbers,
    ),
    Accepted(
        "powers of negative numbers are NaN in one more or one less neighbour",
        "value",
        about="(gradient of )?LRN(Grad)?",
        where="NaN elsewhere",
        check=checks.agree_where_both_are_finite,
        of_program=program_checks.has_a_negative_scale,
    ),
    Accepted(
        "a bucket beyond the last one is one of the node or feature behind it there",
        "value",
        about="BoostedTreesMakeStatsSummary",
        check=checks.vanishes_where_they_differ,
        of_program=program_checks.has_a_bucket_beyond,
    ),
    Accepted(
        "an op whose gradient is none does not run there",
        "build error",
        about="gradient of .*",
        tensorflow="^no error .when run: TypeError: Fetch argument None has invalid type",
        ours="^(ValueError|InvalidArgumentError|UnimplementedError): ",
    ),
    Accepted(
        "a tag of one element is a scalar, as in 1.8",
        "error",
        about="(Audio|Histogram|Image|Scalar|Tensor)Summary(V2)?",
        tensorflow="[tT]ags? must be (a )?scalar",
        ours="^no error",
    ),
    Accepted(
        "ranges that are no scalars are refused here; TensorFlow takes their first element, or reads beyond",
        "error",
        about="(gradient of )?(Quantize.*|Dequantize|Requantiz.*)",
        tensorflow="^no error",
        ours="^InvalidArgumentError: .* must (be a scalar|have an element), got shape",
    ),
    Accepted(
        "TensorFlow takes the shorter operand for the last dimensions of the longer one, whatever its shape is",
        "value|fetched shape",
        about="Quantized(Add|Mul)",
        of_program=program_checks.broadcasts_within,
    ),
    Accepted(
        "an op with two faults: here its own is found first, there that of its gradient",
        "build error",
        about="gradient of .*",
        tensorflow=r"^TypeError: Expected \w+, got 1 of type 'int' instead|^ValueError: .* for 'gradients/",
        ours="^ValueError: (?!.* for 'gradients/)",
    ),
    Accepted(
        "the rule of a gradient finds a fault there that the step finds here",
        "build error",
        about="gradient of .*",
        tensorflow=r"^(TypeError|ValueError|IndexError): ",
        ours=r"^no error .when run: \w+Error: ",
    ),
    Accepted(
        "1.15's gradient of batches that cannot be fails in its own code",
        "build error",
        about="gradient of GatherV2",
        tensorflow="^TypeError: Tensors in list passed to 'values' of 'ConcatV2' Op",
        ours="^ValueError",
    ),
    Accepted(
        "gradients of a dense operand that does not fit are those of its first elements here",
        "error",
        about="gradient of SparseDenseCwise.*",
        tensorflow="^InvalidArgumentError: Integer division by zero",
        ours="^no error",
    ),
    Accepted(
        "the sign of zero: TensorFlow subtracts several numbers at a time from 0, and rounds float16 by float32",
        "value",
        about="(gradient of )?(Neg|Rint|Round)",
        check=lambda tensorflow, ours: np.array_equal(tensorflow, ours, equal_nan=True),
    ),
    Accepted(
        "the loss of a blank alone is one of two paths there",
        "value",
        about="(gradient of )?CTCLoss",
        of_program=program_checks.has_one_class,
    ),
    Accepted(
        "the gradient of no rows is padded by less than nothing",
        "error",
        about="gradient of IRFFT.*",
        tensorflow="^no error",
        ours="^InvalidArgumentError: Paddings must be non-negative",
        of_program=program_checks.is_empty,
    ),
    Accepted(
        "values that are not those of the splits are an error of the caller here, and left out there",
        "error",
        about="RaggedTensorToTensor",
        tensorflow="^no error",
        ours="^InternalError: Values and indices must be equal",
    ),
    Accepted(
        "batches are compared where nothing is gathered, too",
        "error",
        about="(gradient of )?GatherV2",
        tensorflow="^no error",
        ours="^InvalidArgumentError: params.shape.* should be equal to indices.shape",
        of_program=program_checks.is_empty,
    ),
    Accepted(
        "diagonals that do not fit are an error here; 1.15's gradient does not need the op's result",
        "error",
        about="gradient of MatrixSetDiagV2",
        tensorflow="^no error",
        ours="^InvalidArgumentError: The diagonals must have shape",
    ),
    Accepted(
        "types that only later TensorFlow has",
        "build error",
        about="AsString|Resize.*|Xdivy|Xlogy",
        tensorflow="^TypeError: Value passed to parameter '(input|images|x)' has DataType (uint|bfloat16|float16)",
        ours="^no error",
    ),
    Accepted(
        "probabilities of paths are of float32",
        "value",
        about="CTC(BeamSearch|Greedy)Decoder|(gradient of )?CTCLoss",
        check=checks.are_near_beside_the_greatest,
    ),
    Accepted(
        "1.15 runs unsigned numbers of several bytes, for which it has no kernel, on XLA's device, whose shuffles are"
        " others and which takes large numbers for negative ones",
        "value",
        about="RandomShuffle|Arg(Max|Min)|TopK(V2)?",
        of_program=program_checks.has_wide_unsigned_numbers,
    ),
    Accepted(
        "a threshold of another type than the numbers is refused here",
        "error",
        about="(gradient of )?SparseAdd",
        tensorflow="^no error",
        ours="^InvalidArgumentError: No OpKernel was registered to support Op 'SparseAdd'",
    ),
    Accepted(
        "rules of 1.15's gradients are made of ops that lack the type, or are called without one",
        "build error",
        about="gradient of .*",
        tensorflow="^(TypeError: Value passed to parameter|ValueError: Tried to convert '.*' to a tensor and failed)",
        ours="^(no error|(TypeError|LookupError): )",
    ),
    Accepted(
        "1.15 runs types without a kernel on XLA's device",
        "error",
        tensorflow="^no error",
        ours=r"^InvalidArgumentError: No OpKernel was registered to support Op '\w+' with these types: "
        r"\[.*\b(half|bfloat16|complex64|complex128|uint16|uint32|uint64)\b",
    ),
    Accepted(
        "types without a kernel have an error of XLA's device there",
        "error",
        tensorflow="^(InternalError|UnimplementedError): ",
        ours="^InvalidArgumentError: No OpKernel was registered",
    ),
    Accepted(
        "1.15 runs types without a kernel on XLA's device, which divides by zero and gathers from nothing",
        "error",
        about="(Floor|Truncate)?Div|(Floor|Truncate)?Mod|GatherNd",
        tensorflow="^no error",
        ours="^InvalidArgumentError: (Integer division by zero|Requested more than 0 entries, but params is empty)",
        of_program=program_checks.has_rare_whole_numbers,
    ),
    Accepted(
        "1.15's rules of gradients fail for a single place, and for outputs of bfloat16 that nothing needs",
        "build error",
        about="gradient of (SparseToDense|SplitV?|Unpack)",
        tensorflow="^ValueError: .* for 'gradients/SparseToDense_grad/GatherNd'|^TypeError: .* of '(Pack|ConcatV2)' Op",
        ours="^no error",
    ),
    Accepted(
        "the root of a matrix without an inverse is junk there",
        "value",
        about="(gradient of )?MatrixSquareRoot",
        where="NaN elsewhere",
        check=checks.agree_where_both_are_finite,
    ),
    Accepted(
        "more than two ends of a range are refused here",
        "error",
        about="BoostedTreesCalculateBest(FeatureSplit|GainsPerFeature)",
        tensorflow="^no error",
        ours=r"^InvalidArgumentError: node_id_range must have 2 elements",
    ),
    Accepted(
        "a condition of one element is a scalar, as in 1.8",
        "error",
        about="Assert",
        tensorflow="In.0. should be a scalar: .1.",
        ours="^no error",
    ),
    Accepted(
        "a threshold of float16 beside numbers of float32 is read as one of float32 there",
        "error",
        about="NonMaxSuppressionV.",
        tensorflow="^InvalidArgumentError: iou_threshold must be in",
        ours="^no error",
        of_program=program_checks.has_a_short_float,
    ),
    Accepted(
        "1.15's gradient takes sizes of int32 alone",
        "build error",
        about="gradient of BroadcastTo",
        tensorflow="^TypeError: Input 's1' of 'BroadcastGradientArgs' Op has type int32",
        ours="^no error",
    ),
    Accepted(
        "1.15 transposes an adjoint sparse matrix, and does not conjugate it",
        "value",
        about="(gradient of )?SparseTensorDenseMatMul",
        of_program=program_checks.has_a_complex_adjoint,
    ),
    Accepted(
        "weights and biases that do not fit four gates are refused when the graph is built",
        "build error",
        about="(gradient of )?BlockLSTM.*",
        tensorflow="^no error",
        ours="^ValueError: Dimension size must be evenly divisible by 4",
    ),
    Accepted(
        "places in rows that are not sorted depend on the order of the search",
        "value",
        about="(Lower|Upper)Bound",
        of_program=program_checks.has_unsorted_rows,
    ),
]
