"""Calls of the functions on text and on quantized numbers, and what they give, as data."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

FLOATS = [0.0, 1.0, -1.5, 3.14159265e10, 1e-7, np.inf, -np.inf, np.nan, 0.5, 2.5]
DOUBLES = np.array([0.1, 1 / 3.0, 1e300, -1e-300, 1e20])
TEXTS = ["foo ab12 hello", "aé€", "a\nb", ""]
NUMBERS = ["1", "-2.5", "1e3", " 7 ", "inf", "-Infinity", "nan", "", "1.", ".5", "+3", "12abc", "2147483648"]
PATTERNS = [
    (r"\w+", r"<\0>"),
    ("", "-"),
    ("x*", "-"),
    ("(a)(b)?", r"[\2\1]"),
    ("a", r"\3"),
    (r"\bfoo\b", "X"),
    ("[[:alpha:]]", "L"),
    ("(?i)HELLO", "bye"),
    (".", "."),
    (r"\d{2,}", "#"),
    ("[^a-z]", "_"),
    ("é", "e"),
    (r"\pL", "L"),
    ("^|$", "|"),
    ("(?m)^", ">"),
    ("A[", "x"),
]
FORMATS: list[dict[str, Any]] = [
    {},
    {"precision": 2},
    {"scientific": True},
    {"shortest": True},
    {"shortest": True, "precision": 3},
    {"width": 12},
    {"width": 12, "fill": "0"},
    {"width": 12, "fill": "-"},
    {"width": 12, "fill": "+"},
    {"width": 12, "fill": " "},
]
# Not qint32: there TensorFlow converts floats that an int32 does not hold.
QUANTIZED = ["qint8", "quint8", "qint16", "quint16"]


def _words() -> list[bytes]:
    """Bytes of a linear generator: of each length from 0 to 140, and some longer."""
    x = 1
    words = []
    for length in [*range(141), 192, 256, 1000]:
        word = bytearray()
        for _ in range(length):
            x = (x * 1664525 + 1013904223) & 0xFFFFFFFF
            word.append(x >> 24)
        words.append(bytes(word))
    return words


def _parts(sparse: Any) -> list[Any]:
    return [sparse.indices, sparse.values, sparse.dense_shape]


def _cases() -> dict[str, Callable[[Any], Any]]:
    cases: dict[str, Callable[[Any], Any]] = {
        "to_hash_bucket_fast": lambda tf: tf.string_to_hash_bucket_fast(_words(), 2**62),
        "to_hash_bucket_strong": lambda tf: tf.string_to_hash_bucket_strong(_words(), 2**62, [98765, -132]),
        "to_hash_bucket": lambda tf: tf.string_to_hash_bucket(_words(), 2**62),
        "as_string of ints": lambda tf: tf.as_string([0, -5, 123456789], width=6, fill="0"),
        "as_string of complex": lambda tf: tf.as_string([1 + 2j, -0.5j], precision=2, width=7),
        "as_string of bool": lambda tf: tf.as_string([True, False]),
        "as_string, precision of ints": lambda tf: tf.as_string([1], precision=2),
        "substr of rows": lambda tf: tf.substr([["ab", "cde"], ["fgh", "ijkl"]], [0, 1], [1, 2]),
        "substr of characters": lambda tf: tf.strings.substr("aé€x", 1, 2, unit="UTF8_CHAR"),
        "lower": lambda tf: tf.strings.lower("HÉllo ΑΣ"),
        "lower, utf-8": lambda tf: tf.strings.lower("HÉllo ΑΣ", encoding="utf-8"),
        "upper, utf-8": lambda tf: tf.strings.upper("héllo ß ŉ", encoding="utf-8"),
        "length": lambda tf: tf.strings.length(["aé€🙂", b"\xff\x80"]),
        "length in characters": lambda tf: tf.strings.length(["aé€🙂", b"\xff\x80"], unit="UTF8_CHAR"),
        "strip": lambda tf: tf.strings.strip(["  a b \t\n", "\v\fx", " "]),
        "join": lambda tf: tf.string_join([["a", "b"], "x", ["c", "d"]], "-"),
        "join of shapes that differ": lambda tf: tf.string_join(
            [tf.constant(["a"]), tf.placeholder_with_default(["a", "b"], [None])]
        ),
        "decompress zlib": lambda tf: tf.io.decode_compressed(
            [zlib.compress(b"hello" * 3), zlib.compress(b"x")], compression_type="ZLIB"
        ),
        "decompress gzip": lambda tf: tf.io.decode_compressed([gzip.compress(b"a", mtime=0)], compression_type="GZIP"),
        "decompress what is not compressed": lambda tf: tf.io.decode_compressed(
            [b"nope nope nope"], compression_type="ZLIB"
        ),
        "fingerprint of strings": lambda tf: tf.raw_ops.Fingerprint(data=["a", "b"], method="farmhash64"),
        "fingerprint of rows": lambda tf: tf.raw_ops.Fingerprint(data=[[1, 2], [3, 4]], method="farmhash64"),
        "fingerprint of rows of strings": lambda tf: tf.raw_ops.Fingerprint(
            data=[["a", "b"], ["c", "d"]], method="farmhash64"
        ),
    }
    numbers = np.arange(120)
    for shape in [(), (7,), (0,), (2, 0), (3, 4), (2, 3, 4), (2, 3, 4, 5)]:
        for most in (-1, 0, 1, 3):
            cases[f"format {shape} {most}"] = lambda tf, s=shape, m=most: tf.strings.format(
                "<{}>", tf.constant(np.resize(numbers, s)), summarize=m
            )
    cases["format of several"] = lambda tf: tf.strings.format(
        "%t and %t, %t", [tf.constant(["a\n", "b'\""]), tf.constant(FLOATS), tf.constant([True])], placeholder="%t"
    )
    cases["unicode_script"] = lambda tf: tf.strings.unicode_script(
        [*range(0, 0x3000, 97), 0x1F600, 0x10FFFF, 0x110000, -1, 0x4E00, 0xAC00, 0x20000]
    )
    for i, form in enumerate(FORMATS):
        cases[f"as_string {i}"] = lambda tf, form=form: tf.as_string(FLOATS, **form)
        cases[f"as_string of double {i}"] = lambda tf, form=form: tf.as_string(DOUBLES, **form)
    for axis in (0, -1, [0, 1], [1, 0]):
        cases[f"reduce_join {axis}"] = lambda tf, axis=axis: tf.reduce_join(
            [["a", "b"], ["c", "d"]], axis, separator="."
        )
    cases["reduce_join of all, kept"] = lambda tf: tf.reduce_join([["a", "b"], ["c", "d"]], keep_dims=True)
    for text in NUMBERS:
        cases[f"to_number {text!r}"] = lambda tf, text=text: tf.string_to_number(text)
        cases[f"to_number, int32 {text!r}"] = lambda tf, text=text: tf.string_to_number(text, tf.int32)
    for pattern, rewrite in PATTERNS:
        cases[f"regex_replace {pattern!r}"] = lambda tf, p=pattern, r=rewrite: tf.regex_replace(TEXTS, p, r)
        cases[f"regex_replace, one {pattern!r}"] = lambda tf, p=pattern, r=rewrite: tf.regex_replace(
            TEXTS, tf.constant(p), r, replace_global=False
        )
        cases[f"regex_full_match {pattern!r}"] = lambda tf, p=pattern: tf.strings.regex_full_match(TEXTS, p)
    lines = ["a b  c ", " a,,b ", "", "x--y---z", "  "]
    for sep in ("", ",", "--"):
        for most in (-1, 0, 1, 2):
            cases[f"split {sep!r} {most}"] = lambda tf, s=sep, m=most: _parts(
                tf.strings.split(lines, sep=s, maxsplit=m, result_type="SparseTensor")
            )
    for delimiter in ("", ",", ", "):
        for skip in (True, False):
            cases[f"string_split {delimiter!r} {skip}"] = lambda tf, d=delimiter, s=skip: _parts(
                tf.string_split(lines, d, skip_empty=s)
            )
    for pos, length in [(0, 2), (2, 100), (-3, 2), (5, 1), (1, -1), (6, 0), (-6, 1)]:
        cases[f"substr {pos} {length}"] = lambda tf, p=pos, n=length: tf.substr("hello", p, n)
    for text in (b"", b"a", b"ab", b"abc", b"\xff\xfe\xfd\xfc"):
        for pad in (True, False):
            cases[f"encode_base64 {text!r} {pad}"] = lambda tf, t=text, p=pad: tf.encode_base64(t, pad=p)
    for text in (b"YQ", b"YQ=", b"YQ==", b"Y", b"YR==", b"YWJj", b"-_-_", b"+/+/", b"YQ==YQ==", b"Y===", b""):
        cases[f"decode_base64 {text!r}"] = lambda tf, t=text: tf.decode_base64(t)
    for dtype in ("uint8", "int16", "int32", "float16", "int64"):
        for little in (True, False):
            cases[f"decode_raw {dtype} {little}"] = lambda tf, d=dtype, e=little: tf.decode_raw(
                [b"\x01\x02\x03\x04\x05\x06\x07\x08", b"\xff" * 8], getattr(tf, d), little_endian=e
            )
    values = [-10.0, -1.0, -0.51, -0.25, 0.0, 0.3, 0.49999, 0.5, 1.0, 1.5, 2.49, 300.0, 1e6]
    for dtype in QUANTIZED:
        for low, high in [(-1.0, 2.0), (0.0, 255.0), (-128.0, 127.0), (0.0, 0.0)]:
            for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED"):
                label = f"quantize {dtype} {low} {high} {mode}"
                cases[label] = lambda tf, d=dtype, a=low, b=high, m=mode: _quantized(
                    tf, tf.quantize_v2(values, a, b, getattr(tf, d), mode=m)
                )
                cases[f"de{label}"] = lambda tf, d=dtype, a=low, b=high, m=mode: tf.dequantize(
                    tf.bitcast(tf.constant([0, 1, 5, 100, 127], getattr(tf, d[1:])), getattr(tf, d)), a, b, mode=m
                )
    for low, high in [(-1.0, 2.0), (0.1, 6.0), (-6.0, -0.1), (0.0, 0.0)]:
        for bits, narrow in [(8, False), (4, True), (2, False)]:
            cases[f"fake_quant {low} {high} {bits} {narrow}"] = lambda tf, a=low, b=high, n=bits, r=narrow: (
                tf.quantization.fake_quant_with_min_max_vars(values, a, b, n, r)
            )
            cases[f"fake_quant gradient {low} {high} {bits} {narrow}"] = lambda tf, a=low, b=high, n=bits, r=narrow: (
                list(
                    tf.quantization.fake_quant_with_min_max_vars_gradient(
                        np.arange(13.0, dtype="f"), values, a, b, n, r
                    )
                )
            )
    for signed in (True, False):
        for given in (True, False):
            for mode in ("HALF_TO_EVEN", "HALF_UP"):
                cases[f"quantize_and_dequantize {signed} {given} {mode}"] = lambda tf, s=signed, g=given, m=mode: (
                    tf.quantization.quantize_and_dequantize(
                        np.array([-2.0, -0.75, 0.0, 0.3, 1.5, 2.5]), -1.0, 2.0, s, 4, g, m
                    )
                )
    cases["fake_quant of channels"] = lambda tf: tf.quantization.fake_quant_with_min_max_vars_per_channel(
        np.linspace(-3, 3, 12).reshape(4, 3).astype("f"), [-1.0, 0.0, -2.0], [1.0, 0.0, 3.0]
    )
    cases["fake_quant gradient of channels"] = lambda tf: list(
        tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient(
            np.ones((4, 3), "f"), np.linspace(-3, 3, 12).reshape(4, 3).astype("f"), [-1.0, 0.0, -2.0], [1.0, 0.0, 3.0]
        )
    )
    cases["fake_quant of args"] = lambda tf: tf.quantization.fake_quant_with_min_max_args(values, -2.0, 5.0, 5)
    return cases


def _quantized(tf: Any, outputs: Any) -> list[Any]:
    steps, low, high = outputs
    return [tf.bitcast(steps, getattr(tf, steps.dtype.name[1:])), low, high]


CASES = _cases()


def _plain(value: Any) -> Any:
    array = np.asarray(value)
    if array.dtype.kind == "O":
        return [bytes(item).decode("latin-1") for item in array.reshape(-1)] + [list(array.shape)]
    if array.dtype.kind == "S":
        return [bytes(value).decode("latin-1"), []]
    if array.dtype.kind == "f":
        return [float(x).hex() for x in array.reshape(-1)] + [list(array.shape)]
    return [int(x) for x in array.reshape(-1)] + [list(array.shape)]


def outcome(tf: Any, case: Callable[[Any], Any]) -> Any:
    """What a case gives, as JSON holds it: floats by their bits, then the shape; or the class of the error."""
    with tf.Graph().as_default(), tf.Session() as session:
        try:
            result = session.run(case(tf))
        except tf.errors.OpError as error:
            return type(error).__name__
        return [_plain(part) for part in result] if isinstance(result, list) else _plain(result)
