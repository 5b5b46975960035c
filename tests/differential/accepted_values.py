"""Accepted differences of values that a session fetches."""

from __future__ import annotations

import numpy as np
from differential import checks, lists, pictures, program_checks
from differential.acceptance import Accepted

VALUES = [
    Accepted(
        "which element of an infinite or NaN spectrum is NaN depends on the order of the additions",
        "value",
        about=".*FFT.*",
        tensorflow="nan|inf",
    ),
    Accepted(
        "vectors of eigenvalues and singular values have no certain sign, and none where there are none",
        "value|fetched shape",
        about="(gradient of )?(Batch)?(SelfAdjointEig|Svd|Qr).*",
    ),
    Accepted("handles of sparse tensors are numbered in another order", "value", about="Add(Many)?Sparse.*TensorsMap"),
    Accepted(
        "pictures of float64 are resized in float32 there", "value", about="function picture", check=checks.are_near
    ),
    Accepted("gradients that vanish are what is left of rounding", "value", about="function .*", check=checks.vanishes),
    Accepted(
        "a handle names no container here",
        "value",
        about=".*(Queue|Table|Reader|Barrier|SessionHandle|Stack).*",
        tensorflow="localhost",
    ),
    Accepted(
        "pictures are compressed otherwise: the same pixels as PNG, and as JPEG by the same tables and sampling",
        "value",
        about="Encode(Png|Jpeg).*",
        check=pictures.are_the_same_but_for_compression,
    ),
    Accepted("a crop is one of the whole picture here", "value", about="DecodeAndCropJpeg"),
    Accepted("messages have their fields in another order", "value", about="TensorSummary|DecodeJSONExample"),
    Accepted(
        "where a step depends on its symbol alone, orders of the same symbols have equal scores but for rounding",
        "value",
        about="seq2seq with .*, beams",
        check=checks.has_the_same_symbols,
    ),
    Accepted(
        "whether an infinity is multiplied by a padded zero",
        "value",
        about="Conv3DBackprop(Filter|Input)V2|(gradient of )?DepthwiseConv2dNative.*",
        tensorflow="inf|nan",
        check=checks.differ_in_nan_alone,
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
        "NaN has no order; TensorFlow's is that of a heap, or of a sort that compares NaN",
        "value",
        about="TopKV2?",
        check=checks.has_the_same_numbers_or_places,
        of_program=program_checks.has_nan,
    ),
    Accepted(
        "reserved spaces that nothing reads",
        "fetched shape",
        about="FusedBatchNorm(Grad.*|V3)",
        tensorflow=r"^\[\]$",
    ),
    Accepted(
        "TensorFlow gives 0 for NaN of float16",
        "value",
        about="(gradient of )?(A?(cosh|sinh|tanh)|Cosh|Sinh)",
        ours="nan",
        check=checks.is_zero_for_nan,
    ),
    Accepted(
        "1.15 runs float16 on XLA's device, which gives -inf for Asinh of NaN, and 0 for Sinh; Acosh's gradient"
        " divides by that",
        "value",
        about="Asinh|gradient of Acosh",
        where="NaN elsewhere",
        check=checks.is_infinite_for_nan,
        of_program=program_checks.has_a_short_float,
    ),
    Accepted(
        "a product of nothing is not written there",
        "value",
        about="QuantizedMatMul",
        check=checks.vanishes_here,
        of_program=program_checks.is_empty,
    ),
    Accepted(
        "the limit at infinity, which TensorFlow gives as NaN",
        "value",
        about="Igammac?|Betainc|gradient of (Digamma|Igammac?)",
        tensorflow="nan",
    ),
    Accepted(
        "pictures of float64 are standardized in float32 there",
        "value",
        about="pictures, standardize",
        check=checks.are_near_beside_the_greatest,
    ),
    Accepted(
        "which channel of a pixel with infinities is infinite, and which NaN",
        "value",
        about="pictures, hue",
        tensorflow="inf|nan",
    ),
    Accepted(
        "a saturating cast to int32 ends at the largest float below 2^31; TensorFlow's becomes negative beyond",
        "value",
        about="pictures, brightness",
        tensorflow="-2147483648",
        ours="2147483520",
    ),
    Accepted(
        "divergences of nearly equal distributions are what is left of rounding",
        "value",
        about=".*, divergence",
        check=checks.is_close,
    ),
    Accepted("gradients that vanish are what is left of rounding", "value", about="chain", check=checks.vanishes),
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
        "TensorFlow ends a string at its zero byte",
        "value",
        about="StringUpper|StringLower",
        ours=r"\\x00|\x00",
    ),
    Accepted(
        "outputs of training that nothing writes otherwise are junk there",
        "value",
        about="FusedBatchNorm(V[23])?",
        where=r"value [1-4]\b",
        check=checks.is_junk,
    ),
    Accepted(
        "sums of no rows are junk there",
        "value",
        about="gradient of SparseSegment.*|SparseSegment.*Grad",
        check=checks.vanishes_here,
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
    Accepted("numbers that are not finite", "value", about="CholeskyGrad", tensorflow="nan|inf"),
    Accepted(
        "which element of a solution that is not finite is NaN depends on the order of the additions",
        "value",
        about="(Batch)?Matrix(Triangular)?Solve",
        where="(NaN|infinity) elsewhere",
        check=checks.are_finite_alike,
    ),
    Accepted(
        "similarities of pictures are sums in another order", "value", about="pictures, ssim", check=checks.is_close
    ),
    Accepted("without rows nothing is written there", "value", about="MatrixSolveLs", check=checks.vanishes_here),
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
        about="gradient of FusedBatchNorm(V[23])?",
        tensorflow=r"^\[\]$",
        ours=r"^\[0\]$",
    ),
    Accepted("spectra of nothing are junk there", "value", about="I?RFFT[23]D", check=checks.is_tiny_junk),
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
        "numbers that are not numbers have no order; TensorFlow's is that of a heap",
        "value",
        about="arrays, sort",
        tensorflow="nan",
        check=checks.sorts_alike,
    ),
    Accepted(
        "the noise beside a picture has no seed there",
        "value",
        about="pictures, glimpse|ExtractGlimpse",
        check=checks.differ_in_noise_alone,
    ),
    Accepted(
        "e is a number of float32 there",
        "value",
        about="PowerSignOptimizer, sparse",
        check=checks.are_near_beside_the_greatest,
    ),
    Accepted(
        "gradients that vanish are what is left of rounding",
        "value",
        about="gradient of FusedBatchNorm.*",
        check=checks.vanishes,
    ),
    Accepted(
        "the inverse of a matrix with infinities is NaN here, and in parts there",
        "value",
        about="(gradient of )?(Batch)?MatrixInverse",
        where=r"NaN elsewhere",
        check=lambda tensorflow, ours: bool(np.isnan(ours).all()),
    ),
    Accepted(
        "places whose output is no maximum of the inputs have no gradient there",
        "value",
        about="gradient of MaxPoolGrad",
        check=checks.is_zero_where_they_differ,
        of_program=program_checks.pools_otherwise,
    ),
    Accepted(
        "1.15 runs float16 on XLA's device, which leaves a single infinite pixel as it is; both give NaN for float32",
        "value",
        about="pictures, contrast",
        tensorflow=r"^\[+-?inf\]",
        ours=r"^\[+nan\]",
        where="NaN elsewhere",
    ),
    Accepted(
        "TensorFlow's result has the dimensions in which it computes, and not its own static shape",
        "fetched shape",
        about="(strings, s|S)ubstr",
        check=checks.has_joined_dimensions,
    ),
    Accepted(
        "an infinite gradient that a sum leaves out is multiplied by 0 there",
        "value",
        about="FakeQuantWithMinMaxVars(PerChannel)?Gradient",
        tensorflow="nan",
        where=r"value [12] \(NaN elsewhere\)",
    ),
    Accepted(
        "a box that does not overlap itself, as it has no area, is selected again and again there",
        "value",
        about="NonMaxSuppression.*|pictures, nms",
        check=checks.repeats_from_there_on,
    ),
    Accepted(
        "a box that does not overlap itself, as it has no area, is selected again and again there",
        "fetched shape",
        about="NonMaxSuppression.*|pictures, nms",
        check=lambda tensorflow, ours: len(tensorflow) == len(ours) == 1 and tensorflow[0] > ours[0],
    ),
    Accepted(
        "1.15 writes each row as many elements after the one before as it has bytes",
        "value",
        about="DecodePaddedRaw",
        check=checks.agree_in_the_first_row,
    ),
    Accepted(
        "1.15's gradient sets the main diagonal, whichever was set",
        "value",
        about="gradient of MatrixSetDiagV2",
        where="value 0",
        check=checks.is_zero_on_the_main_diagonal_alone,
        of_program=program_checks.sets_another_diagonal,
    ),
    Accepted(
        "which place gets a gradient if the outputs are no maxima of the inputs",
        "value",
        about="(gradient of )?MaxPool(3D)?GradGrad.*|gradient of MaxPool(3D)?Grad(V2)?",
        where="value [02]",
        of_program=program_checks.pools_otherwise,
    ),
    Accepted(
        "an n-gram of pads alone begins with the word before an empty row there",
        "value",
        about="StringNGrams",
        where="value 0",
        check=checks.is_longer_in_places,
    ),
    Accepted(
        "1.15's numbers depend on how its threads share the batches",
        "value",
        about="ParameterizedTruncatedNormal",
        of_program=program_checks.has_batches,
    ),
    Accepted(
        "an infinity times a zero of a filter is NaN there; pictures are added here",
        "value",
        about="pictures, (sobel|ssim)",
        tensorflow="nan",
        check=checks.differ_in_nan_alone,
    ),
    Accepted(
        "an element that an insertion completes is lost there if another key of the insertion is an error",
        "value",
        about="barrier",
        check=lambda tensorflow, ours: np.ndim(tensorflow) == 0 and tensorflow < ours,
    ),
    Accepted(
        "pictures of float64 become grey in float32, by sums in another order",
        "value",
        about="pictures, grayscale",
        check=checks.are_near,
    ),
    Accepted(
        "1.15 fills a list that grows with empty tensors of float32, and joins them as if they had elements",
        "value|fetched shape",
        about="list of tensors",
        of_difference=lists.reads_a_gap,
    ),
    Accepted(
        "an infinity is multiplied by the zeros of a band matrix there, which makes the whole row NaN",
        "value",
        about="(gradient of )?LRN",
        where="NaN elsewhere",
        check=checks.agree_but_for_nan_there,
    ),
    Accepted(
        "1.15 runs bfloat16, for which it has no kernel, on XLA's device, which gives a bound for NaN",
        "value",
        about="ClipByValue",
        where="NaN elsewhere",
        of_difference=program_checks.is_operand_for_nan,
    ),
]
