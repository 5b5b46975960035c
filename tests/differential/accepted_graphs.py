"""Accepted differences of what is known of a graph before it runs: names, static shapes, counts of nodes."""

from __future__ import annotations

from differential import checks, program_checks
from differential.acceptance import Accepted

GRAPHS = [
    Accepted("more is known of a shape here", "static shape", check=checks.knows_more),
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
        "fused normalization is one operation of TensorFlow 1.8, which every 1.x loads",
        "name",
        tensorflow="FusedBatchNormV3",
        ours="FusedBatchNorm",
    ),
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
    Accepted("1.15 has no gradient for it", "description|build error", about="function reduction", tensorflow="None"),
    Accepted("1.15 has no gradient for it", "description|error", about="gradient of EuclideanNorm", tensorflow="None"),
    Accepted(
        "the gradient of a loop's gathered result is dense here, and TensorFlow's loop carries slices",
        "description|name",
        about="chain",
        tensorflow=r"_grad/Exit_1:0', 'Exit', 'int32'|UnsortedSegmentSum",
        ours="_grad/Exit",
    ),
    Accepted(
        "TensorFlow's shape is that of another rank",
        "static shape",
        about="(gradient of )?Unique.*V2|(gradient of )?ParallelDynamicStitch",
    ),
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
        "a gather in batches is one operation here; that of a vector has slices for its gradient",
        "description",
        about="arrays, batch_gather",
        tensorflow="Reshape_1_grad/Reshape:0",
        ours="GatherV2_grad/Reshape_1:0",
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
        "TensorFlow gives a loop's gradient the static shape of its result's, also where the body changes shapes",
        "static shape",
        about="chain",
        ours="None",
        check=checks.knows_less,
    ),
    Accepted(
        "the shape of elements of any rank is the scalar -1, and not a vector",
        "static shape",
        about="list of tensors",
        tensorflow=r"^\[None\]$",
        ours="^None$",
        of_program=program_checks.asks_for_an_element_shape,
    ),
    Accepted(
        "1.15 takes a size that the step gets for the least one",
        "static shape",
        about="(gradient of )?MatrixDiagV2",
        ours="None",
        check=checks.knows_less,
    ),
    Accepted(
        "sizes of a split along an unknown dimension are taken for those of the last one there",
        "static shape",
        about="SplitV",
        ours=r"^\[None(, None)*\]$",
        of_program=program_checks.splits_along_an_unknown_dimension,
    ),
    Accepted(
        "no index is taken for index 0 there",
        "static shape",
        about="(gradient of )?DynamicStitch|gradient of DynamicPartition",
        tensorflow=r"^\[1[,\]]",
    ),
    Accepted(
        "TensorFlow's shape is that of another rank",
        "static shape",
        about="(gradient of )?GatherV2",
        tensorflow=r"^\[None",
        ours="^None$",
    ),
    Accepted(
        "1.15 finds the rank of a scalar in the step",
        "number of nodes",
        about="arrays, transpose",
        check=checks.has_fewer,
    ),
    Accepted(
        "1.15 takes an unknown batch for the one of labels that are broadcast",
        "static shape",
        about="function entropy",
        tensorflow=r"^\[1\]$",
        ours=r"^\[None\]$",
    ),
    Accepted(
        "1.15 takes unknown sizes for the one of labels or logits that are broadcast",
        "static shape",
        about="(gradient of )?SoftmaxCrossEntropyWithLogits",
        check=checks.knows_ones,
    ),
    Accepted(
        "1.15 takes unknown classes for the one of labels that are broadcast",
        "static shape",
        about="function entropy",
        check=checks.has_one_class,
    ),
    Accepted(
        "1.15's static shape is not that of its results",
        "static shape",
        about="(gradient of )?(BoostedTrees(AggregateStats|CalculateBestFeatureSplit)|ExtractVolumePatches"
        "|Fractional(Avg|Max)Pool)",
    ),
    Accepted(
        "1.15 does not sum the gradient of Atan2 over what was broadcast",
        "static shape",
        about="gradient of Atan2",
        check=checks.knows_less,
    ),
    Accepted(
        "1.15 gives the gradient the shape of the whole transform, which the input need not have",
        "static shape",
        about="gradient of IRFFT.*",
        check=checks.knows_less,
    ),
    Accepted(
        "unknown diagonals are the main one there",
        "static shape",
        about="(gradient of )?MatrixSetDiagV2",
        ours="None",
    ),
    Accepted(
        "1.15's gradient takes the main diagonal, whichever was set",
        "static shape",
        about="gradient of MatrixSetDiagV2",
        of_program=program_checks.sets_another_diagonal,
    ),
]
