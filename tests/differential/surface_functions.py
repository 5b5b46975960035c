"""Programs of functions on strings, sparse tensors, pictures and arrays."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
from differential.surface_inputs import DTYPES, Inputs
from differential.writing import Data, at, pair, program as make_program, tf


def _strings(c: Inputs) -> tuple[str, Data]:
    rng, call = c.rng, c.writer.call
    s, shape = None, c.shape()
    kind = rng.choice(
        (
            "split",
            "substr",
            "regex_replace",
            "regex_full_match",
            "join",
            "reduce_join",
            "to_number",
            "as_string",
            "length",
            "strip",
            "to_hash",
            "to_hash_strong",
            "encode",
            "decode_raw",
            "unicode",
            "csv",
            "split_v2",
            "equal",
            "bytes_split",
        )
    )
    s = c.words(shape)
    if kind == "split":
        return kind, call("string_split", s, **c.some({"delimiter": ("", " ", ",;", ","), "skip_empty": (False,)}))
    if kind == "split_v2":
        return kind, call(
            "strings.split", s, **c.some({"sep": (",", ";;", ""), "maxsplit": (0, 1), "result_type": ("SparseTensor",)})
        )
    if kind == "substr":
        where = c.numbers(rng.choice((shape, [], [])), rng.choice(("int32", "int64")), -3, 4)
        return kind, call(
            "substr",
            s,
            where,
            c.numbers(rng.choice((shape, [])), "int32", -1, 4),
            **c.some({"unit": ("UTF8_CHAR",)}, 0.2),
        )
    if kind == "regex_replace":
        return kind, call(
            "regex_replace",
            s,
            rng.choice(("a", "[a-c]+", "(\\d)", "^", "(", "\\s*")),
            rng.choice(("x", "<\\1>", "", "\\0\\0")),
            **c.some({"replace_global": (False,)}),
        )
    if kind == "regex_full_match":
        return kind, call("strings.regex_full_match", s, rng.choice((".*", "[0-9.]+", "a|", ")")))
    if kind == "join":
        return kind, call("string_join", [s, c.words(rng.choice((shape, [], [1])))], **c.some({"separator": ("-", "")}))
    if kind == "reduce_join":
        axis = rng.choice((None, 0, -1, [0], [], [1, 0], 5))
        return kind, call("reduce_join", s, axis, **c.some({"keep_dims": (True,), "separator": ("+",)}))
    if kind == "to_number":
        return kind, call("string_to_number", s, tf(rng.choice(("float32", "float64", "int32", "int64"))))
    if kind == "as_string":
        x = c.numbers(shape, rng.choice(("float32", "float64", "int32", "int64", "bool", "complex64", "int8")))
        return kind, call(
            "as_string",
            x,
            **c.some(
                {
                    "precision": (0, 3),
                    "scientific": (True,),
                    "shortest": (True,),
                    "width": (0, 8),
                    "fill": ("0", " ", "-", "+"),
                },
                0.25,
            ),
        )
    if kind == "length":
        return kind, call("strings.length", s, **c.some({"unit": ("UTF8_CHAR", "BYTE")}))
    if kind == "strip":
        return kind, call(rng.choice(("strings.strip", "strings.lower", "strings.upper")), s)
    if kind == "to_hash":
        return kind, call(
            rng.choice(("string_to_hash_bucket_fast", "string_to_hash_bucket")), s, rng.choice((1, 7, 1000, 0))
        )
    if kind == "to_hash_strong":
        return kind, call("string_to_hash_bucket_strong", s, 100, [1, 2])
    if kind == "encode":
        coded = call("encode_base64", s, **c.some({"pad": (True,)}))
        return kind, call("decode_base64", coded if rng.random() < 0.7 else s)
    if kind == "decode_raw":
        return kind, call(
            "decode_raw", s, tf(rng.choice(("uint8", "int16", "float32"))), **c.some({"little_endian": (False,)})
        )
    if kind == "unicode":
        return kind, call(
            "strings.unicode_transcode",
            s,
            "UTF-8",
            rng.choice(("UTF-8", "UTF-16-BE")),
            **c.some({"errors": ("replace", "ignore", "strict")}),
        )
    if kind == "csv":
        defaults = [[1.0], [b"x".decode()]] if rng.random() < 0.5 else [[0], [], [""]]
        return kind, call(
            "decode_csv",
            s,
            defaults,
            **c.some({"field_delim": (";", ","), "na_value": ("nan",), "use_quote_delim": (False,)}),
        )
    if kind == "bytes_split":
        return kind, call("strings.unicode_script", c.numbers(shape, "int32", 0, 200))
    return kind, call(rng.choice(("equal", "not_equal")), s, c.words(rng.choice((shape, [1], []))))


def _sparse(c: Inputs) -> tuple[str, Data]:
    rng, call = c.rng, c.writer.call
    rank = rng.choice((1, 2, 2, 2, 3))
    dense = [rng.choice((1, 2, 3, 4)) for _ in range(rank)]
    dtype = rng.choice(("float32", "float32", "float64", "int32", "int64"))

    def sparse(sizes: list[int], kind: str, is_sorted: bool = True) -> Data:
        places = [list(np.unravel_index(i, sizes)) for i in range(int(np.prod(sizes)))]
        chosen = sorted(rng.sample(places, rng.choice((0, 1, min(3, len(places)), len(places)))))
        if not is_sorted:
            rng.shuffle(chosen)
        indices = c.put(np.array(chosen, np.int64).reshape(len(chosen), len(sizes)), "int64")
        return call("SparseTensor", indices, c.numbers([len(chosen)], kind), c.put(np.array(sizes), "int64"))

    x = sparse(dense, dtype, rng.random() < 0.85)
    axis = rng.choice((None, 0, -1, [0], [-1, 0]))
    kind = rng.choice(
        (
            "reduce_sum",
            "reduce_max",
            "to_dense",
            "add",
            "concat",
            "reshape",
            "transpose",
            "slice",
            "split",
            "matmul",
            "retain",
            "fill_empty",
            "softmax",
            "maximum",
            "reorder",
            "indicator",
            "expand",
            "multiply",
            "embedding",
            "reset_shape",
            "merge",
            "cross",
        )
    )
    if kind in ("reduce_sum", "reduce_max"):
        return kind, call(f"sparse_{kind}", x, axis, **c.some({"keepdims": (True,)}))
    if kind == "to_dense":
        return kind, call("sparse_tensor_to_dense", x, **c.some({"default_value": (7,), "validate_indices": (False,)}))
    if kind == "add":
        other = sparse(dense, dtype) if rng.random() < 0.6 else c.numbers(dense, dtype)
        return kind, call(
            "sparse_add", x, other, **c.some({"thresh": (0, 2)} if not dtype.startswith("int") else {"thresh": (0,)})
        )
    if kind == "concat":
        other = sparse([*dense[:-1], dense[-1] + rng.choice((0, 1))], dtype)
        return kind, call(
            "sparse_concat", rng.choice((rank - 1, -1, 0)), [x, other], **c.some({"expand_nonconcat_dim": (True,)})
        )
    if kind == "reshape":
        return kind, call("sparse_reshape", x, rng.choice(([-1], [1, -1], [int(np.prod(dense))], [2, -1])))
    if kind == "transpose":
        return kind, call("sparse_transpose", x, **c.some({"perm": (list(range(rank))[::-1],)}))
    if kind == "slice":
        return kind, call(
            "sparse_slice", x, [rng.choice((0, 1)) for _ in dense], [rng.choice((1, 2, 5)) for _ in dense]
        )
    if kind == "split":
        return kind, call("sparse_split", sp_input=x, num_split=rng.choice((1, 2)), axis=rng.choice((0, rank - 1)))
    if kind == "matmul":
        m = sparse([3, 2], "float32")
        return kind, call(
            "sparse_tensor_dense_matmul",
            m,
            c.numbers([2, 4]) if rng.random() < 0.6 else c.numbers([3, 2]),
            **c.some({"adjoint_a": (True,)}),
        )
    if kind == "retain":
        values = at(x, "values")
        return kind, call("sparse_retain", x, call("greater", values, 0) if dtype != "bool" else values)
    if kind == "fill_empty":
        return kind, call("sparse_fill_empty_rows", x, 5)
    if kind == "softmax":
        return kind, call("sparse_softmax", sparse(dense if rank > 1 else [2, 3], "float32"))
    if kind == "maximum":
        return kind, call(rng.choice(("sparse_maximum", "sparse_minimum")), x, sparse(dense, dtype))
    if kind == "reorder":
        return kind, call("sparse_reorder", sparse(dense, dtype, False))
    if kind == "indicator":
        return kind, call("sparse_to_indicator", sparse(dense, "int64"), rng.choice((4, 10)))
    if kind == "expand":
        return kind, call("sparse_expand_dims", x, rng.choice((None, 0, -1, 1)))
    if kind == "multiply":
        return kind, call(
            "operator:" + rng.choice(("mul", "truediv")), x, c.numbers(rng.choice((dense, [1], [])), dtype)
        )
    if kind == "embedding":
        ids = sparse([3, 4], "int64")
        return kind, call(
            "nn.embedding_lookup_sparse",
            c.numbers([5, 2]),
            ids,
            None,
            **c.some({"combiner": ("sum", "mean", "sqrtn")}, 0.9),
        )
    if kind == "reset_shape":
        return kind, call("sparse_reset_shape", x, **c.some({"new_shape": ([n + 1 for n in dense], [1] * rank)}))
    if kind == "merge":
        ids = sparse([3, 2], "int64")
        return kind, call(
            "sparse_merge",
            ids,
            call(
                "SparseTensor",
                at(ids, "indices"),
                call("cast", at(ids, "values"), tf("float32")),
                at(ids, "dense_shape"),
            ),
            10,
        )
    return kind, call(
        "sparse.cross_hashed",
        [sparse([2, 2], "int64"), sparse([2, 3], "int64")],
        **c.some({"num_buckets": (10,), "hash_key": (5,)}),
    )


def _pictures(c: Inputs) -> tuple[str, Data]:
    rng, call = c.rng, c.writer.call
    shape = [rng.choice((1, 2)), rng.choice((1, 3, 4, 6)), rng.choice((1, 2, 5)), rng.choice((1, 3, 3, 4))][
        rng.choice((0, 0, 1)) :
    ]
    dtype = rng.choice(("float32", "float32", "uint8", "float64", "int32", "float16", "int16"))
    low, high = (0, 255) if dtype.startswith(("u", "int")) else (0, 1)
    x = c.numbers(shape, dtype, low, high)
    kind = rng.choice(
        (
            "resize",
            "crop_resize",
            "grayscale",
            "rgb",
            "hsv",
            "brightness",
            "contrast",
            "gamma",
            "convert",
            "standardize",
            "flip",
            "rot90",
            "transpose",
            "pad_box",
            "crop_box",
            "central",
            "total_variation",
            "saturation",
            "hue",
            "psnr",
            "ssim",
            "boxes",
            "nms",
            "glimpse",
            "gradients",
            "sobel",
            "yiq",
            "patches",
            "random_crop",
            "random_flip",
        )
    )
    if kind == "resize":
        name = rng.choice(
            (
                "image.resize_bilinear",
                "image.resize_nearest_neighbor",
                "image.resize_bicubic",
                "image.resize_area",
                "image.resize_images",
            )
        )
        return kind, call(name, x, rng.choice(([2, 3], [1, 1], [7, 4], [0, 2])), **c.some({"align_corners": (True,)}))
    if kind == "crop_resize":
        boxes = c.numbers([2, 4], "float32", -0.2, 1.2)
        return kind, call(
            "image.crop_and_resize",
            x,
            boxes,
            c.put(np.array([0, rng.choice((0, 1, 5))]), "int32"),
            [2, 2],
            **c.some({"method": ("nearest",), "extrapolation_value": (9.0,)}),
        )
    if kind == "brightness":
        return kind, call("image.adjust_brightness", x, rng.choice((0.2, -0.5, 3)))
    if kind == "contrast":
        return kind, call("image.adjust_contrast", x, rng.choice((0.2, 2.0)))
    if kind == "gamma":
        return kind, call("image.adjust_gamma", x, **c.some({"gamma": (0.5, 2, -1), "gain": (2,)}))
    if kind == "convert":
        return kind, call(
            "image.convert_image_dtype",
            x,
            tf(rng.choice(("uint8", "float32", "int16", "float64", "uint16"))),
            **c.some({"saturate": (True,)}),
        )
    if kind == "transpose":
        return kind, call("image.transpose_image", x)
    if kind == "rot90":
        return kind, call("image.rot90", x, rng.choice((0, 1, 2, 3, 5, -1)))
    if kind == "pad_box":
        return kind, call(
            "image.pad_to_bounding_box", x, rng.choice((0, 1, -1)), 0, rng.choice((6, 8)), rng.choice((5, 7))
        )
    if kind == "crop_box":
        return kind, call(
            "image.crop_to_bounding_box", x, rng.choice((0, 1, -1)), 0, rng.choice((1, 3)), rng.choice((1, 2))
        )
    if kind == "central":
        return kind, call("image.resize_image_with_crop_or_pad", x, rng.choice((1, 4, 6, 0)), 3)
    if kind in ("saturation", "hue"):
        return kind, call(f"image.adjust_{kind}", x, rng.choice((0.2, 0.5, -0.3, 1.5)))
    if kind in ("psnr", "ssim"):
        big = [1, 12, 12, 1] if kind == "ssim" else shape
        return kind, call(f"image.{kind}", c.numbers(big, "float32", 0, 1), c.numbers(big, "float32", 0, 1), 1.0)
    if kind == "boxes":
        return kind, call("image.draw_bounding_boxes", x, c.numbers([shape[0], 2, 4], "float32", 0, 1))
    if kind == "nms":
        return kind, call(
            "image.non_max_suppression",
            c.numbers([6, 4], "float32", 0, 1),
            c.numbers([6], "float32", 0, 1),
            rng.choice((0, 3, 10)),
            **c.some({"iou_threshold": (0.1, 0.9), "score_threshold": (0.5,)}),
        )
    if kind == "glimpse":
        return kind, call(
            "image.extract_glimpse",
            x,
            [2, 2],
            c.numbers([shape[0], 2], "float32", -1, 1),
            **c.some({"centered": (False,), "normalized": (False,), "uniform_noise": (False,)}),
        )
    if kind == "patches":
        return kind, call(
            "image.extract_image_patches",
            x,
            [1, 2, 2, 1],
            [1, rng.choice((1, 2)), 1, 1],
            [1, 1, rng.choice((1, 2)), 1],
            rng.choice(("SAME", "VALID")),
        )
    if kind == "random_crop":
        return kind, call("random_crop", x, [*shape[:-1], 1] if rng.random() < 0.5 else shape, seed=3)
    if kind == "random_flip":
        name = rng.choice(("random_flip_left_right", "random_flip_up_down", "random_brightness", "random_contrast"))
        more = {"random_brightness": [0.3], "random_contrast": [0.2, 0.9]}.get(name, [])
        return kind, call(f"image.{name}", x, *more, seed=5)
    name = {
        "grayscale": "image.rgb_to_grayscale",
        "rgb": "image.grayscale_to_rgb",
        "standardize": "image.per_image_standardization",
        "hsv": rng.choice(("image.rgb_to_hsv", "image.hsv_to_rgb")),
        "flip": rng.choice(("image.flip_left_right", "image.flip_up_down")),
        "total_variation": "image.total_variation",
        "gradients": "image.image_gradients",
        "sobel": "image.sobel_edges",
        "yiq": rng.choice(("image.rgb_to_yiq", "image.rgb_to_yuv", "image.yuv_to_rgb")),
    }[kind]
    return kind, call(name, x)


def _sort(c: Inputs, x: Data, axis: int, shape: list[int], dtype: str) -> Data:
    options = c.some({"direction": ("DESCENDING",)})
    if c.rng.random() < 0.5:
        return c.writer.call("sort", x, axis, **options)
    # NaN has no place in an order: TensorFlow's depends on how its heap is built.
    return c.writer.call("argsort", c.numbers(shape, dtype, specials=(np.inf, -np.inf, -0.0)), axis, **options)


_ARRAYS: dict[str, Callable[[Inputs, Data, int, list[int], str], Data]] = {
    "argmax": lambda c, x, a, s, d: c.writer.call(
        c.rng.choice(("argmax", "argmin")), x, a, **c.some({"output_type": (tf("int32"),)})
    ),
    "cumulative": lambda c, x, a, s, d: c.writer.call(
        c.rng.choice(("cumsum", "cumprod")), x, a, **c.some({"exclusive": (True,), "reverse": (True,)})
    ),
    "sort": lambda c, x, a, s, d: _sort(c, x, a, s, d),
    "top_k": lambda c, x, a, s, d: c.writer.call(
        "nn.top_k", x, c.rng.choice((0, 1, 2, 5)), **c.some({"sorted": (True,)})
    ),
    "unique": lambda c, x, a, s, d: c.writer.call(
        c.rng.choice(("unique", "unique_with_counts")), x, **c.some({"out_idx": (tf("int64"),)})
    ),
    "one_hot": lambda c, x, a, s, d: c.writer.call(
        "one_hot",
        c.numbers(s, "int64", -1, 4),
        c.rng.choice((0, 3)),
        **c.some({"on_value": (5,), "off_value": (-1,), "axis": (0, -1, 1), "dtype": (tf("int32"), tf("float64"))}),
    ),
    "gather": lambda c, x, a, s, d: c.writer.call(
        "gather", x, c.numbers(c.rng.choice(([], [2], [0], [2, 2])), c.rng.choice(("int32", "int64")), 0, 3), axis=a
    ),
    "gather_nd": lambda c, x, a, s, d: c.writer.call(
        "gather_nd", x, c.numbers([2, c.rng.choice((0, 1, 2))], "int32", 0, 2)
    ),
    "batch_gather": lambda c, x, a, s, d: c.writer.call("batch_gather", x, c.numbers([*s[:-1], 2], "int32", 0, 2)),
    "scatter_nd": lambda c, x, a, s, d: c.writer.call(
        "scatter_nd",
        c.numbers([3, 1], "int32", 0, 4),
        c.numbers([3, 2], d),
        c.rng.choice(([4, 2], [5, 2], [0, 2], [2, 2])),
    ),
    "reverse": lambda c, x, a, s, d: c.writer.call("reverse", x, c.rng.choice(([a], [], [0, -1]))),
    "reverse_sequence": lambda c, x, a, s, d: c.writer.call(
        "reverse_sequence", x, c.numbers(s[:1], "int32", 0, 3), seq_axis=c.rng.choice((1, -1)), batch_axis=0
    ),
    "roll": lambda c, x, a, s, d: c.writer.call("roll", x, c.rng.choice((1, -2, 0)), a),
    "tile": lambda c, x, a, s, d: c.writer.call("tile", x, [c.rng.choice((0, 1, 2)) for _ in s]),
    "pad": lambda c, x, a, s, d: c.writer.call(
        "pad",
        x,
        [[c.rng.choice((0, 1)), c.rng.choice((0, 2))] for _ in s],
        mode=c.rng.choice(("CONSTANT", "REFLECT", "SYMMETRIC")),
    ),
    "transpose": lambda c, x, a, s, d: c.writer.call(
        "transpose",
        x,
        **c.some({"perm": (list(range(len(s)))[::-1], [a % max(len(s), 1)] * len(s)), "conjugate": (True,)}),
    ),
    "squeeze": lambda c, x, a, s, d: c.writer.call("squeeze", x, c.rng.choice((None, [a], []))),
    "expand_dims": lambda c, x, a, s, d: c.writer.call(
        "expand_dims", x, c.rng.choice((0, -1, a, len(s), -len(s) - 1, len(s) + 1))
    ),
    "concat": lambda c, x, a, s, d: c.writer.call("concat", [x, c.numbers(s, d)], a),
    "stack": lambda c, x, a, s, d: c.writer.call("stack", [x, c.numbers(s, d)], a),
    "unstack": lambda c, x, a, s, d: c.writer.call("unstack", x, axis=a),
    "split": lambda c, x, a, s, d: c.writer.call("split", x, c.rng.choice((1, 2, [1, -1], [1, 1], [0, -1], 3)), a),
    "where": lambda c, x, a, s, d: c.writer.call(
        "where", c.numbers(c.rng.choice((s, s[:1], [])), "bool"), x, c.numbers(s, d)
    ),
    "where_of": lambda c, x, a, s, d: c.writer.call("where", x),
    "mask": lambda c, x, a, s, d: c.writer.call(
        "boolean_mask", x, c.numbers(s[: c.rng.randint(0, len(s))], "bool"), **c.some({"axis": (0, 1)}, 0.2)
    ),
    "cast": lambda c, x, a, s, d: c.writer.call(
        c.rng.choice(("cast", "saturate_cast")), x, tf(c.rng.choice(DTYPES[:-1]))
    ),
    "bitcast": lambda c, x, a, s, d: c.writer.call(
        "bitcast", x, tf(c.rng.choice(("uint8", "int32", "float32", "int64")))
    ),
    "compare": lambda c, x, a, s, d: c.writer.call(
        c.rng.choice(("equal", "not_equal", "less", "greater_equal")),
        x,
        c.numbers(c.rng.choice((s, [1], [], [3], s[1:])), d),
    ),
    "operator": lambda c, x, a, s, d: c.writer.call(
        "operator:"
        + c.rng.choice(
            ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "lt", "ge", "matmul")
        ),
        x,
        c.numbers(c.rng.choice((s, [1], [], [3], s[1:])), d),
    ),
    "with_python": lambda c, x, a, s, d: c.writer.call(
        "operator:" + c.rng.choice(("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lt")),
        *c.rng.choice(([x, c.rng.choice((2, 2.5, 0, -1, True))], [c.rng.choice((2, 2.5, 0, -1)), x])),
    ),
    "unary": lambda c, x, a, s, d: c.writer.call(
        c.rng.choice(
            (
                "operator:neg",
                "operator:invert",
                "abs",
                "sign",
                "square",
                "round",
                "ceil",
                "floor",
                "sqrt",
                "exp",
                "log",
                "conj",
                "real",
                "imag",
                "angle",
                "is_nan",
                "is_finite",
                "logical_not",
                "zeros_like",
                "ones_like",
                "identity",
                "shape",
                "size",
                "rank",
                "tanh",
                "rint",
                "bitwise.invert",
                "nn.relu",
                "nn.softplus",
                "reciprocal",
                "lgamma",
                "erf",
                "expm1",
            )
        ),
        x,
    ),
    "reduce": lambda c, x, a, s, d: c.writer.call(
        c.rng.choice(
            (
                "reduce_sum",
                "reduce_mean",
                "reduce_max",
                "reduce_min",
                "reduce_prod",
                "reduce_any",
                "reduce_all",
                "count_nonzero",
                "reduce_logsumexp",
            )
        ),
        x,
        c.rng.choice((None, a, [a], [], [0, -1])),
        **c.some({"keepdims": (True,)}),
    ),
    "slice": lambda c, x, a, s, d: c.writer.call(
        "slice", x, [c.rng.choice((0, 0, 1, -1)) for _ in s], [c.rng.choice((-1, 1, 0, 2)) for _ in s]
    ),
    "getitem": lambda c, x, a, s, d: c.writer.call(
        "operator:getitem",
        x,
        c.rng.choice(
            (
                0,
                -1,
                5,
                {"ellipsis": None},
                {"slice": [None, None, -1]},
                {"slice": [1, None, 2]},
                pair({"ellipsis": None}, 0),
                pair(None, {"slice": [0, 1, None]}),
                pair(0, None),
            )
        ),
    ),
    "segments": lambda c, x, a, s, d: c.writer.call(
        c.rng.choice(("segment_sum", "segment_max", "segment_mean", "segment_prod")),
        x,
        c.put(np.sort(np.random.RandomState(c.rng.randrange(999)).randint(0, 3, s[:1] or [2])), "int32"),
    ),
    "sparse_segments": lambda c, x, a, s, d: c.writer.call(
        c.rng.choice(("sparse_segment_sum", "sparse_segment_mean", "sparse_segment_sqrt_n")),
        x,
        c.numbers([3], "int32", 0, 2),
        c.put(np.array([0, 0, 2]), "int32"),
        **c.some({"num_segments": (4, 1)}),
    ),
    "sets": lambda c, x, a, s, d: c.writer.call(
        "sets." + c.rng.choice(("set_size", "set_intersection", "set_union", "set_difference")),
        *(
            [c.writer.call("contrib.layers.dense_to_sparse", c.numbers([2, 3], "int64", 0, 4))]
            if c.rng.random() < 0.2
            else [c.numbers([2, 3], "int64", 0, 4), c.numbers([2, 2], "int64", 0, 4)]
        ),
    ),
    "bins": lambda c, x, a, s, d: c.writer.call(
        c.rng.choice(("bincount", "invert_permutation", "histogram_fixed_width")),
        *([c.numbers([4], "float32"), [0.0, 2.0]] if c.rng.random() < 0.3 else [c.numbers([4], "int32", 0, 4)]),
    ),
    "space": lambda c, x, a, s, d: c.writer.call(
        c.rng.choice(("space_to_depth", "depth_to_space")), c.numbers([1, c.rng.choice((2, 4, 3)), 2, 4], d), 2
    ),
    "range": lambda c, x, a, s, d: c.writer.call(
        "range", *c.rng.choice(((5,), (1, 7, 2), (5, 0, -1), (0,), (1.0, 2.0, 0.3), (3, 1), (0, 5, 0)))
    ),
    "linspace": lambda c, x, a, s, d: c.writer.call(
        "linspace", c.rng.choice((0.0, 1.0)), c.rng.choice((2.0, -1.0)), c.rng.choice((1, 4, 0))
    ),
    "matrix": lambda c, x, a, s, d: c.writer.call(
        c.rng.choice(
            (
                "matrix_diag",
                "matrix_diag_part",
                "diag",
                "diag_part",
                "matrix_transpose",
                "trace",
                "matrix_inverse",
                "matrix_determinant",
                "cholesky",
            )
        ),
        x,
    ),
    "norms": lambda c, x, a, s, d: c.writer.call(
        "norm",
        x,
        c.rng.choice(("euclidean", 1, 2, np.inf if False else 3)),
        c.rng.choice((None, a, [0, 1])),
        **c.some({"keepdims": (True,)}),
    ),
    "eye": lambda c, x, a, s, d: c.writer.call(
        "eye",
        c.rng.choice((0, 2, 3)),
        **c.some({"num_columns": (2, 0), "batch_shape": ([2], []), "dtype": (tf("int32"), tf("bool"))}),
    ),
    "random": lambda c, x, a, s, d: c.writer.call(
        c.rng.choice(("random_uniform", "random_normal", "truncated_normal")),
        c.rng.choice((s, [0], [])),
        **c.some({"dtype": (tf("float64"), tf("float16")), "seed": (3,)}),
    ),
    "random_like": lambda c, x, a, s, d: c.writer.call(
        c.rng.choice(("random_shuffle", "multinomial")),
        *([x] if c.rng.random() < 0.6 else [c.numbers([2, 3], "float32"), 3]),
        seed=4,
    ),
}


def _arrays(c: Inputs) -> tuple[str, Data]:
    kind = c.rng.choice(sorted(_ARRAYS))
    dtype, shape = c.rng.choice(DTYPES), c.shape()
    x = c.numbers(shape, dtype)
    axis = c.rng.randint(-len(shape) - (c.rng.random() < 0.1), max(len(shape) - 1, 0) + (c.rng.random() < 0.1))
    return kind, _ARRAYS[kind](c, x, axis, shape, dtype)


_STATELESS = (_strings, _sparse, _pictures, _arrays, _arrays, _arrays)


def function_program(rng: random.Random) -> dict[str, Any]:
    c = Inputs(rng)
    family = rng.choice(_STATELESS)
    kind, result = family(c)
    runs: list[Data] = [{"fetch": result, "feed": c.feed}]
    if c.reals and family in (_arrays, _pictures) and rng.random() < 0.4:
        # The sum of the cubes: that of squares is constant for what is normalized.
        y = c.writer.call("convert_to_tensor", result)
        loss = c.writer.call("reduce_sum", c.writer.call("multiply", c.writer.call("square", y), y))
        gradient = c.writer.call("gradients", loss, c.reals[:1])
        runs.append({"fetch": gradient, "feed": c.feed})
    return make_program(f"{family.__name__[1:]}, {kind}", c.writer, runs)
