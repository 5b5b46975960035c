"""Calls that are right, as (function, arguments, keywords): `misuse.py` makes one of their arguments wrong."""

from __future__ import annotations

from typing import Any, NamedTuple

from differential.writing import Data, tf


class Input(NamedTuple):
    """A tensor that a call takes.

    Attributes:
        dtype: str, the name of its type.
        shape: its sizes.
        low: the least element.
        high: what all elements are below.
    """

    dtype: str
    shape: tuple[int, ...]
    low: float = 0
    high: float = 1


class Sparse(NamedTuple):
    """A sparse matrix of two rows and three columns that a call takes.

    Attributes:
        dtype: str, the name of its type.
    """

    dtype: str


class Made(NamedTuple):
    """An object that a call takes, made by a call of its own.

    Attributes:
        function: str, its function below the module.
        arguments: its arguments.
        keywords: its arguments by name.
    """

    function: str
    arguments: tuple[Any, ...]
    keywords: dict[str, Any] = {}  # noqa: RUF012 - no call changes it


Call = tuple[str, list[Any], dict[str, Any]]

_PICTURE = Input("float32", (2, 4, 5, 3))
_ONE = Input("float32", (4, 5, 3))
_BYTES = Input("uint8", (4, 5, 3), 0, 255)
_WORDS = Input("string", (3,))
_MATRIX = Input("float32", (2, 3), -3, 3)
_BOXES, _SCORES = Input("float32", (6, 4)), Input("float32", (6,))
_NUMBER = Input("float32", (), 1, 2)


def _data(text: bytes) -> Data:
    return {"bytes": text.decode("latin-1")}


PICTURES: tuple[Call, ...] = (
    ("image.adjust_brightness", [_ONE, 0.2], {}),
    ("image.adjust_contrast", [_ONE, 0.2], {}),
    ("image.adjust_gamma", [_ONE], {"gamma": 2, "gain": 1}),
    ("image.adjust_hue", [_ONE, 0.2], {}),
    ("image.adjust_saturation", [_ONE, 0.2], {}),
    ("image.adjust_jpeg_quality", [_BYTES, 50], {}),
    ("image.central_crop", [_ONE, 0.5], {}),
    ("image.convert_image_dtype", [_BYTES, tf("float32")], {"saturate": True}),
    (
        "image.crop_and_resize",
        [_PICTURE, Input("float32", (2, 4)), Input("int32", (2,), 0, 2), [2, 3]],
        {"method": "bilinear", "extrapolation_value": 1.0},
    ),
    ("image.crop_to_bounding_box", [_ONE, 0, 1, 2, 3], {}),
    ("image.pad_to_bounding_box", [_ONE, 0, 1, 7, 8], {}),
    ("image.draw_bounding_boxes", [_PICTURE, Input("float32", (2, 3, 4))], {}),
    ("image.encode_png", [_BYTES], {"compression": 5}),
    ("image.encode_jpeg", [_BYTES], {"quality": 50, "format": "rgb", "density_unit": "cm", "x_density": 100}),
    ("image.extract_glimpse", [_PICTURE, [2, 2], Input("float32", (2, 2))], {"normalized": True, "centered": True}),
    (
        "image.extract_image_patches",
        [_PICTURE, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "SAME"],
        {},
    ),
    ("image.flip_left_right", [_ONE], {}),
    ("image.flip_up_down", [_PICTURE], {}),
    ("image.grayscale_to_rgb", [Input("float32", (4, 5, 1))], {}),
    ("image.rgb_to_grayscale", [_ONE], {}),
    ("image.rgb_to_hsv", [_ONE], {}),
    ("image.hsv_to_rgb", [_ONE], {}),
    ("image.rgb_to_yiq", [_ONE], {}),
    ("image.rgb_to_yuv", [_ONE], {}),
    ("image.image_gradients", [_PICTURE], {}),
    ("image.sobel_edges", [_PICTURE], {}),
    ("image.total_variation", [_PICTURE], {}),
    ("image.per_image_standardization", [_ONE], {}),
    ("image.non_max_suppression", [_BOXES, _SCORES, 3], {"iou_threshold": 0.5, "score_threshold": 0.1}),
    ("image.non_max_suppression_overlaps", [Input("float32", (6, 6)), _SCORES, 3], {"overlap_threshold": 0.5}),
    (
        "image.non_max_suppression_padded",
        [_BOXES, _SCORES, 3],
        {"iou_threshold": 0.5, "pad_to_max_output_size": True},
    ),
    ("image.non_max_suppression_with_scores", [_BOXES, _SCORES, 3], {"iou_threshold": 0.5, "soft_nms_sigma": 0.2}),
    (
        "image.combined_non_max_suppression",
        [Input("float32", (1, 5, 1, 4)), Input("float32", (1, 5, 2)), 3, 4],
        {"iou_threshold": 0.5, "score_threshold": 0.1, "pad_per_class": True},
    ),
    ("image.psnr", [_ONE, _ONE, 1.0], {}),
    ("image.ssim", [Input("float32", (12, 12, 1)), Input("float32", (12, 12, 1)), 1.0], {"filter_size": 5}),
    ("image.random_brightness", [_ONE, 0.3], {"seed": 3}),
    ("image.random_contrast", [_ONE, 0.3, 0.7], {"seed": 3}),
    ("image.random_hue", [_ONE, 0.3], {"seed": 3}),
    ("image.random_saturation", [_ONE, 0.3, 0.7], {"seed": 3}),
    ("image.random_crop", [_ONE, [2, 2, 3]], {"seed": 3}),
    ("image.random_flip_left_right", [_ONE], {"seed": 3}),
    ("image.random_jpeg_quality", [_BYTES, 20, 80], {"seed": 3}),
    ("image.resize_images", [_PICTURE, [2, 3]], {"method": 0, "align_corners": True, "preserve_aspect_ratio": True}),
    ("image.resize_area", [_PICTURE, [2, 3]], {"align_corners": True}),
    ("image.resize_bicubic", [_PICTURE, [2, 3]], {"align_corners": True}),
    ("image.resize_bilinear", [_PICTURE, [2, 3]], {"half_pixel_centers": True}),
    ("image.resize_nearest_neighbor", [_PICTURE, [2, 3]], {"align_corners": True}),
    ("image.resize_image_with_crop_or_pad", [_ONE, 3, 7], {}),
    ("image.resize_image_with_pad", [_ONE, 3, 7], {"method": 1}),
    ("image.rot90", [_ONE], {"k": 1}),
    ("image.transpose_image", [_PICTURE], {}),
    (
        "image.sample_distorted_bounding_box",
        [[4, 5, 3], Input("float32", (1, 1, 4), 0, 1)],
        {"seed": 3, "min_object_covered": 0.1, "aspect_ratio_range": [0.5, 2.0], "area_range": [0.1, 1.0]},
    ),
    ("image.decode_png", [_data(b"\x89PNG\r\n\x1a\n")], {"channels": 3, "dtype": tf("uint8")}),
    ("image.decode_jpeg", [_data(b"\xff\xd8\xff\xe0")], {"channels": 3, "ratio": 1, "dct_method": ""}),
    ("image.decode_bmp", [_data(b"BM")], {"channels": 3}),
    ("image.decode_gif", [_data(b"GIF89a")], {}),
    ("image.decode_image", [_data(b"GIF89a")], {"channels": 3, "dtype": tf("float32")}),
    ("image.extract_jpeg_shape", [_data(b"\xff\xd8\xff\xe0")], {"output_type": tf("int64")}),
    ("image.is_jpeg", [_data(b"\xff\xd8\xff\xe0")], {}),
)

STRINGS: tuple[Call, ...] = (
    ("strings.as_string", [_MATRIX], {"precision": 2, "scientific": True, "width": 8, "fill": "0"}),
    ("strings.bytes_split", [_WORDS], {}),
    ("strings.format", ["a {} b", _MATRIX], {"placeholder": "{}", "summarize": 2}),
    ("strings.join", [[_WORDS, _WORDS]], {"separator": "-"}),
    ("strings.length", [_WORDS], {"unit": "BYTE"}),
    ("strings.lower", [_WORDS], {"encoding": "utf-8"}),
    ("strings.upper", [_WORDS], {"encoding": ""}),
    ("strings.ngrams", [_WORDS, 2], {"separator": " ", "pad_values": "x", "padding_width": 1}),
    ("strings.reduce_join", [Input("string", (2, 3)), 1], {"keepdims": True, "separator": "-"}),
    ("strings.regex_full_match", [_WORDS, "[a-z]*"], {}),
    ("strings.regex_replace", [_WORDS, "[a-z]", "<\\0>"], {"replace_global": True}),
    ("strings.split", [_WORDS], {"sep": ",", "maxsplit": 2, "result_type": "SparseTensor"}),
    ("string_split", [_WORDS], {"delimiter": ",", "skip_empty": True}),
    ("strings.strip", [_WORDS], {}),
    ("strings.substr", [_WORDS, 0, 0], {"unit": "BYTE"}),
    ("strings.to_hash_bucket", [_WORDS, 10], {}),
    ("strings.to_hash_bucket_fast", [_WORDS, 10], {}),
    ("strings.to_hash_bucket_strong", [_WORDS, 10, [1, 2]], {}),
    ("strings.to_number", [Input("string", ())], {"out_type": tf("float32")}),
    ("strings.unicode_decode", [_WORDS, "UTF-8"], {"errors": "replace", "replacement_char": 65533}),
    ("strings.unicode_encode", [Input("int32", (3,), 0, 99), "UTF-8"], {"errors": "replace", "replacement_char": 99}),
    ("strings.unicode_script", [Input("int32", (3,), 0, 99)], {}),
    ("strings.unicode_split", [_WORDS, "UTF-8"], {"errors": "replace", "replacement_char": 65533}),
    ("strings.unicode_transcode", [_WORDS, "UTF-8", "UTF-16-BE"], {"errors": "replace", "replacement_char": 65533}),
    ("strings.unsorted_segment_join", [_WORDS, Input("int32", (3,), 0, 2), 3], {"separator": "-"}),
)

FILES: tuple[Call, ...] = (
    ("io.decode_base64", [_WORDS], {}),
    ("io.encode_base64", [_WORDS], {"pad": True}),
    ("io.decode_compressed", [_WORDS], {"compression_type": "ZLIB"}),
    ("io.decode_csv", [_WORDS, [[1.0], ["x"]]], {"field_delim": ",", "na_value": "nan", "select_cols": [0, 1]}),
    ("io.decode_raw", [Input("string", ()), tf("uint8")], {"little_endian": True}),
    ("io.decode_json_example", [_WORDS], {}),
    ("io.parse_tensor", [Input("string", ()), tf("float32")], {}),
    ("io.serialize_tensor", [_MATRIX], {}),
    ("io.serialize_sparse", [Sparse("float32")], {"out_type": tf("string")}),
    ("io.serialize_many_sparse", [Sparse("float32")], {"out_type": tf("string")}),
    ("io.deserialize_many_sparse", [Input("string", (2, 3)), tf("float32")], {"rank": 2}),
    ("io.read_file", [_data(b"/nowhere/at/all")], {}),
    ("io.write_file", [_data(b"/proc/nowhere/at/all"), _data(b"text")], {}),
    ("io.matching_files", [_data(b"/nowhere/*")], {}),
    (
        "io.parse_example",
        [[_data(b"")], {"dict": [["x", Made("io.FixedLenFeature", ([2], tf("float32"), [1.0, 2.0]))]]}],
        {},
    ),
    (
        "io.parse_single_example",
        [_data(b""), {"dict": [["x", Made("io.FixedLenFeature", ([], tf("int64"), 3))]]}],
        {},
    ),
    ("io.FixedLenFeature", [[2], tf("float32")], {"default_value": [1.0, 2.0]}),
    ("io.FixedLenSequenceFeature", [[2], tf("float32")], {"allow_missing": True, "default_value": 1.0}),
    ("io.VarLenFeature", [tf("float32")], {}),
    ("io.SparseFeature", ["i", "v", tf("float32"), 10], {"already_sorted": True}),
    ("io.TFRecordOptions", ["GZIP"], {"window_bits": 9, "compression_level": 3}),
)

SPARSE: tuple[Call, ...] = (
    ("sparse.SparseTensor", [Input("int64", (2, 2), 0, 2), Input("float32", (2,)), [3, 3]], {}),
    ("sparse.add", [Sparse("float32"), Sparse("float32")], {"threshold": 0.1}),
    ("sparse.concat", [1, [Sparse("float32"), Sparse("float32")]], {"expand_nonconcat_dim": True}),
    ("sparse.cross", [[Sparse("string"), Sparse("string")]], {}),
    ("sparse.cross_hashed", [[Sparse("string"), Sparse("int64")]], {"num_buckets": 10, "hash_key": 5}),
    ("sparse.expand_dims", [Sparse("float32")], {"axis": 1}),
    ("sparse.eye", [3], {"num_columns": 4, "dtype": tf("float64")}),
    ("sparse.fill_empty_rows", [Sparse("float32"), 3.0], {}),
    ("sparse.from_dense", [_MATRIX], {}),
    ("sparse.mask", [_MATRIX, [0, 1]], {}),
    ("sparse.matmul", [Sparse("float32"), Input("float32", (3, 2))], {"adjoint_a": False, "adjoint_b": False}),
    ("sparse.maximum", [Sparse("float32"), Sparse("float32")], {}),
    ("sparse.merge", [Sparse("int64"), Sparse("float32"), 10], {"already_sorted": True}),
    ("sparse.reduce_max", [Sparse("float32"), 1], {"keepdims": True}),
    ("sparse.reduce_max_sparse", [Sparse("float32"), 1], {"keepdims": True}),
    ("sparse.reduce_sum", [Sparse("float32"), [0]], {"keepdims": True}),
    ("sparse.reduce_sum_sparse", [Sparse("float32"), 1], {"keepdims": True}),
    ("sparse.reorder", [Sparse("float32")], {}),
    ("sparse.reset_shape", [Sparse("float32")], {"new_shape": [4, 4]}),
    ("sparse.reshape", [Sparse("float32"), [3, -1]], {}),
    ("sparse.retain", [Sparse("float32"), [True, False]], {}),
    ("sparse.segment_sum", [_MATRIX, [0, 1], [0, 0]], {"num_segments": 3}),
    ("sparse.segment_mean", [_MATRIX, [0, 1], [0, 1]], {"num_segments": 3}),
    ("sparse.segment_sqrt_n", [_MATRIX, [0, 1], [0, 1]], {}),
    ("sparse.slice", [Sparse("float32"), [0, 1], [2, 2]], {}),
    ("sparse.softmax", [Sparse("float32")], {}),
    ("sparse.split", [], {"sp_input": Sparse("float32"), "num_split": 2, "axis": 1}),
    ("sparse.to_dense", [Sparse("float32")], {"default_value": 2.0, "validate_indices": True}),
    ("sparse.to_indicator", [Sparse("int64"), 10], {}),
    ("sparse.transpose", [Sparse("float32")], {"perm": [1, 0]}),
    ("sparse.placeholder", [tf("float32")], {"shape": [2, 3]}),
    ("nn.embedding_lookup_sparse", [Input("float32", (5, 2)), Sparse("int64"), None], {"combiner": "mean"}),
    ("nn.safe_embedding_lookup_sparse", [[Input("float32", (5, 2))], Sparse("int64")], {"combiner": "sum"}),
)

QUANTIZATION: tuple[Call, ...] = (
    ("quantization.quantize", [_MATRIX, -3.0, 3.0, tf("quint8")], {"mode": "MIN_COMBINED"}),
    ("quantization.quantize_and_dequantize", [_MATRIX, -3.0, 3.0], {"num_bits": 8, "range_given": True}),
    ("quantization.fake_quant_with_min_max_args", [_MATRIX], {"min": -2, "max": 3, "num_bits": 8}),
    (
        "quantization.fake_quant_with_min_max_args_gradient",
        [_MATRIX, _MATRIX],
        {"min": -2, "max": 3, "num_bits": 8, "narrow_range": True},
    ),
    ("quantization.fake_quant_with_min_max_vars", [_MATRIX, -2.0, 2.0], {"num_bits": 8, "narrow_range": True}),
    ("quantization.fake_quant_with_min_max_vars_gradient", [_MATRIX, _MATRIX, -2.0, 2.0], {"num_bits": 4}),
    (
        "quantization.fake_quant_with_min_max_vars_per_channel",
        [_MATRIX, [-1.0, -2.0, -3.0], [1.0, 2.0, 3.0]],
        {"num_bits": 8},
    ),
    (
        "quantization.fake_quant_with_min_max_vars_per_channel_gradient",
        [_MATRIX, _MATRIX, [-1.0, -2.0, -3.0], [1.0, 2.0, 3.0]],
        {"num_bits": 8},
    ),
    ("quantize_v2", [_MATRIX, -3.0, 3.0, tf("qint8")], {"mode": "SCALED", "round_mode": "HALF_TO_EVEN"}),
)

SUMMARIES: tuple[Call, ...] = (
    ("summary.audio", ["s", Input("float32", (2, 5), -1, 1), 100.0], {"max_outputs": 3, "family": "f"}),
    ("summary.histogram", ["s", _MATRIX], {"family": "f"}),
    ("summary.image", ["s", _PICTURE], {"max_outputs": 3, "family": "f"}),
    ("summary.scalar", ["s", _NUMBER], {"family": "f", "collections": ["c"]}),
    ("summary.tensor_summary", ["s", _MATRIX], {"family": "f", "display_name": "d"}),
    ("summary.text", ["s", _WORDS], {"collections": ["c"]}),
    ("summary.merge", [[Input("string", ())]], {"name": "m"}),
    ("summary.merge_all", [], {"key": "k", "scope": "s"}),
)

_NUMERIC = Made("feature_column.numeric_column", ("x",))
_HASHED = Made("feature_column.categorical_column_with_hash_bucket", ("w", 10))
_IDS = Made("feature_column.categorical_column_with_identity", ("i", 5))
FEATURES: Data = {"dict": [["x", Input("float32", (2, 1))], ["w", Input("string", (2, 1))], ["i", [[0], [3]]]]}

COLUMNS: tuple[Call, ...] = (
    ("feature_column.numeric_column", ["x"], {"shape": [1], "default_value": 1.0, "dtype": tf("float32")}),
    ("feature_column.bucketized_column", [_NUMERIC, [0.0, 1.0]], {}),
    ("feature_column.categorical_column_with_hash_bucket", ["w", 10], {"dtype": tf("string")}),
    ("feature_column.categorical_column_with_identity", ["i", 5], {"default_value": 2}),
    ("feature_column.categorical_column_with_vocabulary_list", ["w", ["a", "b"]], {"num_oov_buckets": 2}),
    ("feature_column.categorical_column_with_vocabulary_list", ["w", ["a", "b"]], {"default_value": 1}),
    (
        "feature_column.categorical_column_with_vocabulary_file",
        ["w", "/nowhere/at/all", 3],
        {"num_oov_buckets": 2, "dtype": tf("string")},
    ),
    ("feature_column.crossed_column", [["a", _IDS], 10], {"hash_key": 3}),
    ("feature_column.embedding_column", [_HASHED, 3], {"combiner": "mean", "max_norm": 1.0, "trainable": True}),
    ("feature_column.shared_embedding_columns", [[_HASHED], 3], {"combiner": "mean", "max_norm": 1.0}),
    ("feature_column.indicator_column", [_HASHED], {}),
    ("feature_column.weighted_categorical_column", [_HASHED, "x"], {"dtype": tf("float32")}),
    ("feature_column.input_layer", [FEATURES, [_NUMERIC]], {"trainable": True, "weight_collections": ["c"]}),
    ("feature_column.linear_model", [FEATURES, [_NUMERIC, _HASHED, _IDS]], {"units": 2, "sparse_combiner": "sum"}),
    ("feature_column.make_parse_example_spec", [[_NUMERIC, _HASHED]], {}),
)

FAMILIES = (PICTURES, STRINGS, FILES, SPARSE, QUANTIZATION, SUMMARIES, COLUMNS)
