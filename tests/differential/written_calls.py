"""Calls of ops that no test of a single op makes with few elements: inputs and attributes, as data."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from differential import quantized_calls
from differential.call_inputs import Call, Numbers, floats, numbers, reals, whole, words
from differential.writing import Data, array, tf

from ferroflow import _core

_LSTM_SHAPES = {"x": (3, 2, 2), "cs_prev": (2, 2), "h_prev": (2, 2), "w": (4, 8)}
_PEEPHOLES = {name: (2,) for name in ("wci", "wcf", "wco")}
_POOL: dict[str, Any] = {"ksize": [1, 2, 2, 1], "strides": [1, 1, 2, 1], "padding": {"bytes": "VALID"}}
_POOL3: dict[str, Any] = {"ksize": [1, 1, 2, 2, 1], "strides": [1, 1, 2, 1, 1], "padding": {"bytes": "SAME"}}
_BOXES = floats(
    [[0.1, 0.1, 0.5, 0.6], [0.0, 0.2, 0.55, 0.6], [0.5, 0.5, 0.9, 1.0], [0.9, 1.0, 0.4, 0.5], [0.1, 0, 0.2, 1]]
)
_SCORES = floats(0.9, 0.75, 0.6, 0.95, 0.3)
_SET = {
    "set1_indices": numbers([[0, 0], [0, 1], [1, 0]], "int64"),
    "set1_values": numbers([1, 9, 1], "int64"),
    "set1_shape": numbers([2, 2], "int64"),
}
_SECOND_SET = {
    "set2_indices": numbers([[0, 0], [1, 0], [1, 1]], "int64"),
    "set2_values": numbers([9, 5, 1], "int64"),
    "set2_shape": numbers([2, 2], "int64"),
}
_MOMENTS = {"scale": reals(3), "offset": reals(3), "mean": reals(3), "variance": reals(3, low=0.1)}
_NORMALIZED = {"y_backprop": reals(2, 2, 2, 3), "x": reals(2, 2, 2, 3), "scale": reals(3)}
_RESERVED = {"reserve_space_1": reals(3), "reserve_space_2": reals(3, low=0.1)}
_CALLS: tuple[Call, ...] = (
    ("AccumulateNV2", {"inputs": [reals(2, 3), reals(2, 3)]}, {"shape": {"shape": [2, 3]}}),
    (
        "AllCandidateSampler",
        {"true_classes": whole(0, 4, 2, 1, dtype="int64")},
        {"num_true": 1, "num_sampled": 4, "unique": True},
    ),
    ("AudioSpectrogram", {"input": reals(20, 2)}, {"window_size": 8, "stride": 4}),
    ("AudioSummaryV2", {"tag": array(b"a", "string"), "tensor": reals(2, 6), "sample_rate": floats(8000.0)}, {}),
    ("BesselI0e", {"x": reals(2, 3, low=-9, high=9)}, {}),
    ("BesselI0e", {"x": reals(4, low=-30, high=30, dtype="float64")}, {}),
    ("BesselI1e", {"x": reals(2, 3, low=-9, high=9)}, {}),
    ("BesselI1e", {"x": reals(4, low=-30, high=30, dtype="float64")}, {}),
    *(
        (
            name,
            {
                "seq_len_max": numbers(2, "int64"),
                **{k: Numbers(s, -1, 1) for k, s in {**_LSTM_SHAPES, **_PEEPHOLES, "b": (8,)}.items()},
            },
            {"use_peephole": peephole, "cell_clip": 0.5},
        )
        for name in ("BlockLSTM", "BlockLSTMV2")
        for peephole in (True, False)
    ),
    *(
        (
            name,
            {
                "seq_len_max": numbers(2, "int64"),
                **{k: Numbers(s, -1, 1) for k, s in {**_LSTM_SHAPES, **_PEEPHOLES, "b": (8,)}.items()},
                **{
                    k: reals(3, 2, 2, low=-1, high=1)
                    for k in ("i", "cs", "f", "o", "ci", "co", "h", "cs_grad", "h_grad")
                },
            },
            {"use_peephole": peephole},
        )
        for name in ("BlockLSTMGrad", "BlockLSTMGradV2")
        for peephole in (True, False)
    ),
    (
        "BoostedTreesBucketize",
        {"float_values": [reals(4), reals(4)], "bucket_boundaries": [floats(-1, 0, 1), floats(0.5, 0.7)]},
        {},
    ),
    (
        "BoostedTreesMakeStatsSummary",
        {
            "node_ids": whole(0, 3, 4),
            "gradients": reals(4, 1),
            "hessians": reals(4, 1),
            "bucketized_features_list": [whole(0, 3, 4), whole(0, 3, 4)],
        },
        {"max_splits": 3, "num_buckets": 3},
    ),
    (
        "BoostedTreesAggregateStats",
        {"node_ids": whole(0, 3, 4), "gradients": reals(4, 1), "hessians": reals(4, 1), "feature": whole(0, 3, 4, 2)},
        {"max_splits": 3, "num_buckets": 3},
    ),
    (
        "BoostedTreesCalculateBestGainsPerFeature",
        {
            "node_id_range": numbers([0, 2]),
            "stats_summary_list": [reals(2, 3, 2, low=0.1)],
            **{k: floats(0.1) for k in ("l1", "l2", "tree_complexity", "min_node_weight")},
        },
        {"max_splits": 2},
    ),
    (
        "BoostedTreesCalculateBestFeatureSplit",
        {
            "node_id_range": numbers([0, 2]),
            "stats_summary": reals(2, 2, 3, 2, low=0.1),
            **{k: floats(0.1) for k in ("l1", "l2", "tree_complexity", "min_node_weight")},
        },
        {"logits_dimension": 1},
    ),
    (
        "BoostedTreesMakeQuantileSummaries",
        {"float_values": [reals(6)], "example_weights": reals(6, low=0.1), "epsilon": floats(0.1)},
        {},
    ),
    ("ClipByValue", {"t": reals(2, 3), "clip_value_min": floats(-0.5), "clip_value_max": floats(1)}, {}),
    (
        "ClipByValue",
        {"t": reals(2, 3), "clip_value_min": reals(2, 3, low=-2, high=-1), "clip_value_max": reals(2, 3, low=0)},
        {},
    ),
    (
        "CombinedNonMaxSuppression",
        {
            "boxes": reals(1, 5, 1, 4, low=0, high=1),
            "scores": reals(1, 5, 2, low=0, high=1),
            "max_output_size_per_class": numbers(2),
            "max_total_size": numbers(3),
            "iou_threshold": floats(0.3),
            "score_threshold": floats(0.1),
        },
        {"pad_per_class": False, "clip_boxes": True},
    ),
    ("CompareAndBitpack", {"input": reals(2, 8), "threshold": floats(0.0)}, {}),
    ("CompareAndBitpack", {"input": whole(-3, 3, 16, dtype="int8"), "threshold": numbers(1, "int8")}, {}),
    (
        "Conv2DBackpropFilter",
        {"input": reals(2, 3, 4, 2), "filter_sizes": numbers([2, 2, 2, 3]), "out_backprop": reals(2, 3, 4, 3)},
        {"strides": [1, 1, 1, 1], "padding": {"bytes": "SAME"}},
    ),
    (
        "CropAndResizeGradBoxes",
        {
            "grads": reals(2, 2, 2, 1),
            "image": reals(1, 3, 3, 1),
            "boxes": reals(2, 4, low=-0.1, high=1.1),
            "box_ind": numbers([0, 0]),
        },
        {},
    ),
    (
        "CropAndResizeGradImage",
        {
            "grads": reals(2, 2, 2, 1),
            "boxes": reals(2, 4, low=-0.1, high=1.1),
            "box_ind": numbers([0, 0]),
            "image_size": numbers([1, 3, 3, 1]),
        },
        {"T": tf("float32"), "method": {"bytes": "nearest"}},
    ),
    ("CumulativeLogsumexp", {"x": reals(2, 3), "axis": numbers(1)}, {}),
    ("DataFormatDimMap", {"x": whole(-4, 4, 5)}, {}),
    ("DataFormatVecPermute", {"x": whole(0, 9, 4)}, {}),
    (
        "DataFormatVecPermute",
        {"x": whole(0, 9, 4, 2, dtype="int64")},
        {"src_format": {"bytes": "NCHW"}, "dst_format": {"bytes": "NHWC"}},
    ),
    ("DebugGradientIdentity", {"input": reals(3)}, {}),
    ("DecodePaddedRaw", {"input_bytes": words(b"abcd", b"ef"), "fixed_length": numbers(4)}, {"out_type": tf("int16")}),
    ("DeepCopy", {"x": reals(2, 2)}, {}),
    (
        "DenseToDenseSetOperation",
        {"set1": numbers([[1, 2], [3, 3]]), "set2": numbers([[2, 5], [3, 4]])},
        {"set_operation": {"bytes": "intersection"}},
    ),
    (
        "DenseToSparseSetOperation",
        {"set1": numbers([[1, 2], [3, 3]], "int64"), **_SECOND_SET},
        {"set_operation": {"bytes": "union"}},
    ),
    ("SparseToSparseSetOperation", {**_SET, **_SECOND_SET}, {"set_operation": {"bytes": "a-b"}}),
    ("SparseToSparseSetOperation", {**_SET, **_SECOND_SET}, {"set_operation": {"bytes": "intersection"}}),
    ("DepthToSpace", {"input": reals(1, 2, 1, 8)}, {"block_size": 2}),
    ("DepthToSpace", {"input": whole(0, 9, 2, 1, 1, 4)}, {"block_size": 2}),
    ("SpaceToDepth", {"input": reals(1, 4, 2, 3)}, {"block_size": 2}),
    (
        "DepthwiseConv2dNativeBackpropFilter",
        {"input": reals(1, 3, 3, 2), "filter_sizes": numbers([2, 2, 2, 2]), "out_backprop": reals(1, 2, 2, 4)},
        {"strides": [1, 1, 1, 1], "padding": {"bytes": "VALID"}},
    ),
    (
        "DepthwiseConv2dNativeBackpropInput",
        {"input_sizes": numbers([1, 3, 3, 2]), "filter": reals(2, 2, 2, 2), "out_backprop": reals(1, 2, 2, 4)},
        {"strides": [1, 1, 1, 1], "padding": {"bytes": "VALID"}},
    ),
    (
        "DrawBoundingBoxes",
        {"images": reals(1, 4, 5, 3, low=0, high=1), "boxes": reals(1, 2, 4, low=-0.1, high=1.1)},
        {},
    ),
    (
        "DrawBoundingBoxesV2",
        {
            "images": reals(1, 4, 5, 3, low=0, high=1),
            "boxes": reals(1, 2, 4, low=-0.1, high=1.1),
            "colors": reals(1, 3, low=0, high=1),
        },
        {},
    ),
    *(
        ("Einsum", {"inputs": [reals(*shape) for shape in shapes]}, {"equation": {"bytes": equation}})
        for equation, shapes in (
            ("ij,jk->ik", [(2, 3), (3, 2)]),
            ("bij,bjk->bki", [(2, 2, 3), (2, 3, 2)]),
            ("ij->ji", [(2, 3)]),
            ("i,j->ij", [(2,), (3,)]),
            ("ii->i", [(3, 3)]),
            ("...ij,jk->...ik", [(2, 1, 3), (3, 2)]),
        )
    ),
    ("Empty", {"shape": numbers([2, 3])}, {"dtype": tf("float32"), "init": True}),
    ("EncodeWav", {"audio": reals(6, 2, low=-1, high=1), "sample_rate": numbers(8000)}, {}),
    ("EnsureShape", {"input": reals(2, 3)}, {"shape": {"shape": [None, 3]}}),
    (
        "ExtractGlimpse",
        {"input": reals(1, 5, 4, 2), "size": numbers([3, 2]), "offsets": reals(1, 2, low=-1, high=1)},
        {"uniform_noise": False, "noise": {"bytes": "zero"}},
    ),
    (
        "ExtractVolumePatches",
        {"input": reals(1, 3, 3, 3, 1)},
        {"ksizes": [1, 2, 2, 1, 1], "strides": [1, 1, 2, 1, 1], "padding": {"bytes": "SAME"}},
    ),
    *(
        (
            name,
            {"value": reals(1, 5, 6, 2)},
            {
                "pooling_ratio": [1.0, 1.44, 1.73, 1.0],
                "pseudo_random": True,
                "deterministic": True,
                "seed": 3,
                "seed2": 7,
            },
        )
        for name in ("FractionalAvgPool", "FractionalMaxPool")
    ),
    (
        "FractionalMaxPoolGrad",
        {
            "orig_input": reals(1, 4, 4, 1),
            "orig_output": reals(1, 2, 2, 1),
            "out_backprop": reals(1, 2, 2, 1),
            "row_pooling_sequence": numbers([0, 2, 4], "int64"),
            "col_pooling_sequence": numbers([0, 1, 4], "int64"),
        },
        {"overlapping": True},
    ),
    *(
        (name, {"x": reals(2, 2, 2, 3), **_MOMENTS}, {"is_training": False, "epsilon": 0.01})
        for name in ("FusedBatchNormV2", "FusedBatchNormV3")
    ),
    *(
        (
            name,
            {"x": reals(2, 2, 2, 3), **_MOMENTS, "mean": reals(0), "variance": reals(0)},
            {"is_training": True, "epsilon": 0.01},
        )
        for name in ("FusedBatchNormV2", "FusedBatchNormV3")
    ),
    ("FusedBatchNormGradV2", {**_NORMALIZED, **_RESERVED}, {"is_training": True, "epsilon": 0.01}),
    (
        "FusedBatchNormGradV3",
        {**_NORMALIZED, **_RESERVED, "reserve_space_3": reals(3)},
        {"is_training": False, "epsilon": 0.01},
    ),
    (
        "FusedPadConv2D",
        {
            "input": reals(1, 3, 3, 2),
            "paddings": numbers([[0, 0], [1, 1], [1, 0], [0, 0]]),
            "filter": reals(2, 2, 2, 1),
        },
        {"mode": {"bytes": "REFLECT"}, "strides": [1, 1, 1, 1], "padding": {"bytes": "VALID"}},
    ),
    (
        "FusedResizeAndPadConv2D",
        {
            "input": reals(1, 2, 3, 2),
            "size": numbers([3, 4]),
            "paddings": numbers([[0, 0], [1, 1], [1, 0], [0, 0]]),
            "filter": reals(2, 2, 2, 1),
        },
        {"mode": {"bytes": "SYMMETRIC"}, "strides": [1, 1, 1, 1], "padding": {"bytes": "VALID"}},
    ),
    ("HistogramFixedWidth", {"values": reals(3, 3, high=6), "value_range": floats(0.0, 5.0), "nbins": numbers(5)}, {}),
    ("HistogramSummary", {"tag": array(b"h", "string"), "values": reals(2, 4)}, {}),
    *(
        (name, {"x": reals(3, 2), "i": numbers([0, 2]), "v": reals(2, 2)}, {})
        for name in ("InplaceAdd", "InplaceSub", "InplaceUpdate")
    ),
    ("Lu", {"input": reals(2, 3, 3, dtype="float64")}, {}),
    (
        "MatrixDiagV2",
        {
            "diagonal": reals(2, 3),
            "k": numbers(0),
            "num_rows": numbers(-1),
            "num_cols": numbers(-1),
            "padding_value": floats(9.0),
        },
        {},
    ),
    (
        "MatrixDiagV2",
        {
            "diagonal": reals(2, 3, 3),
            "k": numbers([-1, 1]),
            "num_rows": numbers(3),
            "num_cols": numbers(-1),
            "padding_value": floats(9.0),
        },
        {},
    ),
    ("MatrixDiagPartV2", {"input": reals(2, 3, 4), "k": numbers([-1, 1]), "padding_value": floats(9.0)}, {}),
    ("MatrixDiagPartV2", {"input": reals(3, 4), "k": numbers(1), "padding_value": floats(9.0)}, {}),
    ("MatrixSetDiagV2", {"input": reals(2, 3, 4), "diagonal": reals(2, 3), "k": numbers(1)}, {}),
    ("MatrixSetDiagV2", {"input": reals(3, 3), "diagonal": reals(2, 3), "k": numbers([0, 1])}, {}),
    (
        "MaxPoolV2",
        {"input": reals(1, 3, 4, 2), "ksize": numbers([1, 2, 2, 1]), "strides": numbers([1, 1, 2, 1])},
        {"padding": {"bytes": "SAME"}},
    ),
    (
        "MaxPoolGradV2",
        {
            "orig_input": reals(1, 3, 4, 2),
            "orig_output": reals(1, 2, 2, 2),
            "grad": reals(1, 2, 2, 2),
            "ksize": numbers([1, 2, 2, 1]),
            "strides": numbers([1, 1, 2, 1]),
        },
        {"padding": {"bytes": "VALID"}},
    ),
    (
        "MaxPoolGradGradV2",
        {
            "orig_input": reals(1, 3, 4, 2),
            "orig_output": reals(1, 2, 2, 2),
            "grad": reals(1, 3, 4, 2),
            "ksize": numbers([1, 2, 2, 1]),
            "strides": numbers([1, 1, 2, 1]),
        },
        {"padding": {"bytes": "VALID"}},
    ),
    (
        "MaxPool3DGradGrad",
        {"orig_input": reals(1, 2, 3, 3, 1), "orig_output": reals(1, 2, 2, 3, 1), "grad": reals(1, 2, 3, 3, 1)},
        _POOL3,
    ),
    (
        "Mfcc",
        {"spectrogram": reals(1, 2, 17, low=0.1), "sample_rate": numbers(16000)},
        {"filterbank_channel_count": 10, "dct_coefficient_count": 5},
    ),
    ("Multinomial", {"logits": reals(2, 3), "num_samples": numbers(4)}, {"seed": 3, "seed2": 7}),
    ("NonMaxSuppression", {"boxes": _BOXES, "scores": _SCORES, "max_output_size": numbers(3)}, {"iou_threshold": 0.5}),
    (
        "NonMaxSuppressionV2",
        {"boxes": _BOXES, "scores": _SCORES, "max_output_size": numbers(3), "iou_threshold": floats(0.5)},
        {},
    ),
    *(
        (
            name,
            {
                "boxes": _BOXES,
                "scores": _SCORES,
                "max_output_size": numbers(4),
                "iou_threshold": floats(0.5),
                "score_threshold": floats(0.2),
                **more,
            },
            {},
        )
        for name, more in (
            ("NonMaxSuppressionV4", {}),
            ("NonMaxSuppressionV5", {"soft_nms_sigma": floats(0.5)}),
            ("NonMaxSuppressionV5", {"soft_nms_sigma": floats(0.0)}),
        )
    ),
    (
        "NonMaxSuppressionWithOverlaps",
        {
            "overlaps": reals(5, 5, low=0, high=1),
            "scores": _SCORES,
            "max_output_size": numbers(3),
            "overlap_threshold": floats(0.5),
            "score_threshold": floats(0.1),
        },
        {},
    ),
    ("ParallelConcat", {"values": [reals(1, 3), reals(1, 3)]}, {"shape": {"shape": [2, 3]}}),
    (
        "ParameterizedTruncatedNormal",
        {
            "shape": numbers([2, 3]),
            "means": floats(0.5),
            "stdevs": floats(1.0),
            "minvals": floats(-1.0),
            "maxvals": floats(2.0),
        },
        {"seed": 3, "seed2": 7},
    ),
    ("PlaceholderWithDefault", {"input": reals(2, 3)}, {"shape": {"shape": [None, 3]}}),
    ("PopulationCount", {"x": whole(-9, 9, 2, 3)}, {}),
    ("PopulationCount", {"x": whole(0, 255, 5, dtype="uint8")}, {}),
    (
        "RaggedGather",
        {
            "params_nested_splits": [numbers([0, 2, 2, 5], "int64")],
            "params_dense_values": reals(5),
            "indices": numbers([2, 0, 1]),
        },
        {"OUTPUT_RAGGED_RANK": 1},
    ),
    ("RaggedRange", {"starts": numbers([0, 5, 1]), "limits": numbers([3, 1, 1]), "deltas": numbers([1, -2, 1])}, {}),
    ("RaggedRange", {"starts": floats(0.5), "limits": floats(2, 3), "deltas": floats(0.75)}, {}),
    (
        "RaggedTensorToSparse",
        {
            "rt_nested_splits": [numbers([0, 1, 3], "int64"), numbers([0, 2, 2, 3], "int64")],
            "rt_dense_values": reals(3),
        },
        {},
    ),
    (
        "RaggedTensorToTensor",
        {
            "shape": numbers([-1, 3], "int64"),
            "values": reals(5),
            "default_value": floats(9.0),
            "row_partition_tensors": [numbers([0, 2, 2, 5], "int64")],
        },
        {"row_partition_types": [{"bytes": "ROW_SPLITS"}]},
    ),
    ("RegexFullMatch", {"input": words(b"ab1", b"", b"x"), "pattern": array(b"[a-c]+\\d|x", "string")}, {}),
    ("StaticRegexFullMatch", {"input": words(b"ab1", b"", b"x")}, {"pattern": {"bytes": "[a-c]+\\d|x"}}),
    (
        "SampleDistortedBoundingBox",
        {"image_size": numbers([20, 30, 3]), "bounding_boxes": reals(1, 2, 4, low=0, high=1)},
        {"seed": 3, "seed2": 7, "min_object_covered": 0.1, "use_image_if_no_bounding_boxes": True},
    ),
    *(
        (
            "ScaleAndTranslate",
            {
                "images": reals(1, 3, 4, 2),
                "size": numbers([2, 5]),
                "scale": floats(0.7, 1.3),
                "translation": floats(0.2, -0.5),
            },
            {"kernel_type": {"bytes": kind}},
        )
        for kind in ("lanczos3", "triangle", "keyscubic")
    ),
    (
        "ScaleAndTranslateGrad",
        {
            "grads": reals(1, 2, 5, 2),
            "original_image": reals(1, 3, 4, 2),
            "scale": floats(0.7, 1.3),
            "translation": floats(0.2, -0.5),
        },
        {"kernel_type": {"bytes": "gaussian"}, "antialias": True},
    ),
    ("SdcaFprint", {"input": words(b"abc", b"")}, {}),
    ("SelectV2", {"condition": whole(0, 2, 2, 1, dtype="bool"), "t": reals(2, 3), "e": reals(3)}, {}),
    ("SelectV2", {"condition": whole(0, 2, dtype="bool"), "t": reals(2, 3), "e": reals(2, 1)}, {}),
    ("ShardedFilename", {"basename": array(b"a/b", "string"), "shard": numbers(3), "num_shards": numbers(12)}, {}),
    ("ShardedFilespec", {"basename": array(b"a/b", "string"), "num_shards": numbers(12)}, {}),
    (
        "SparseAddGrad",
        {
            "backprop_val_grad": reals(3),
            "a_indices": numbers([[0, 0], [1, 1]], "int64"),
            "b_indices": numbers([[0, 0], [0, 1]], "int64"),
            "sum_indices": numbers([[0, 0], [0, 1], [1, 1]], "int64"),
        },
        {},
    ),
    (
        "SparseSliceGrad",
        {
            "backprop_val_grad": reals(2),
            "input_indices": numbers([[0, 0], [0, 1], [1, 1]], "int64"),
            "input_start": numbers([0, 1], "int64"),
            "output_indices": numbers([[0, 0], [1, 0]], "int64"),
        },
        {},
    ),
    ("StatelessMultinomial", {"logits": reals(2, 3), "num_samples": numbers(4), "seed": numbers([1, 2], "int64")}, {}),
    *(
        (name, {"shape": numbers([2, 3]), "seed": numbers([1, 2], "int64")}, {"dtype": tf(kind)})
        for name in ("StatelessRandomNormal", "StatelessRandomUniform", "StatelessTruncatedNormal")
        for kind in ("float32", "float64", "float16")
    ),
    (
        "StatelessRandomUniformInt",
        {"shape": numbers([2, 3]), "seed": numbers([1, 2], "int64"), "minval": numbers(-3), "maxval": numbers(9)},
        {},
    ),
    (
        "StringNGrams",
        {"data": words(b"a", b"b", b"c", b"d", b"e"), "data_splits": numbers([0, 3, 3, 5], "int64")},
        {
            "separator": {"bytes": "|"},
            "ngram_widths": [2, 3],
            "left_pad": {"bytes": "<"},
            "right_pad": {"bytes": ">"},
            "pad_width": 1,
            "preserve_short_sequences": False,
        },
    ),
    (
        "ThreadUnsafeUnigramCandidateSampler",
        {"true_classes": whole(0, 4, 2, 1, dtype="int64")},
        {"num_true": 1, "num_sampled": 3, "unique": True, "range_max": 5, "seed": 3, "seed2": 7},
    ),
    (
        "TridiagonalMatMul",
        {"superdiag": reals(1, 3), "maindiag": reals(1, 3), "subdiag": reals(1, 3), "rhs": reals(3, 2)},
        {},
    ),
    ("TridiagonalSolve", {"diagonals": reals(3, 4, dtype="float64"), "rhs": reals(4, 2, dtype="float64")}, {}),
    (
        "TridiagonalSolve",
        {"diagonals": reals(2, 3, 3, low=1, high=3), "rhs": reals(2, 3, 1)},
        {"partial_pivoting": False},
    ),
    *(
        (name, {"input": words("aé€".encode(), b"", b"\xffz")}, {"input_encoding": {"bytes": "UTF-8"}})
        for name in ("UnicodeDecode", "UnicodeDecodeWithOffsets")
    ),
    (
        "UnicodeEncode",
        {"input_values": numbers([97, 233, 8364, 0, 128512]), "input_splits": numbers([0, 2, 2, 5], "int64")},
        {"output_encoding": {"bytes": "UTF-8"}},
    ),
    (
        "UnicodeTranscode",
        {"input": words("aé€".encode(), b"", b"\xffz")},
        {"input_encoding": {"bytes": "UTF-8"}, "output_encoding": {"bytes": "UTF-16-BE"}},
    ),
    (
        "UnsortedSegmentJoin",
        {"inputs": words(b"a", b"b", b"c"), "segment_ids": numbers([1, 0, 1]), "num_segments": numbers(3)},
        {"separator": {"bytes": "-"}},
    ),
    *quantized_calls.CALLS,
)


def _default(value: Any) -> Data:
    return {"bytes": value.decode("latin-1")} if isinstance(value, bytes) else value


def _drawn(data: Any, rng: np.random.RandomState) -> Data:
    if isinstance(data, list):
        return [_drawn(item, rng) for item in data]
    if not isinstance(data, Numbers):
        return data
    shape, low, high, dtype = data
    if dtype == "complex64":
        return array((rng.uniform(low, high, shape) + 1j * rng.uniform(low, high, shape)).astype(dtype))
    if dtype.startswith("float"):
        return array(np.asarray(rng.uniform(low, high, shape), dtype))
    drawn = array(rng.randint(int(low), int(high), shape), dtype.lstrip("q"))
    drawn["array"][0] = dtype
    return drawn


def calls() -> Iterator[dict[str, Any]]:
    """The calls, with the defaults of all attributes that are a number, a bool or a text."""
    for place, (op, inputs, attributes) in enumerate(_CALLS):
        rng = np.random.RandomState(zlib.crc32(f"{op} {place}".encode()))
        defaults = {
            attr["name"]: _default(attr["default"])
            for attr in _core.op_info(op)["attrs"]
            if attr["has_default"] and attr["type"] in ("int", "float", "bool", "string")
        }
        drawn = {name: _drawn(data, rng) for name, data in inputs.items()}
        yield {"op": op, "inputs": drawn, "attributes": {**defaults, **attributes}}
