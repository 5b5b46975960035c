"""Records of the functions on text: the references are Python's own methods of bytes and str."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from typing import Any

import numpy as np
from ops.cases.record import Given, Record, Refused, Texts, Values, call

from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.ops.ragged.text import string_split
from ferroflow._src.ops.sparse import crossing
from ferroflow._src.ops.string import characters, encoding, formatting, parts


def _each(f: Callable[..., Any], dtype: Any = np.object_) -> Callable[..., Any]:
    """A function of the strings at equal places as one of arrays."""

    def of_arrays(*arrays: Any, **arguments: Any) -> Any:
        broadcast = np.broadcast_arrays(*arrays)
        out = np.empty(broadcast[0].shape, dtype)
        for place in np.ndindex(out.shape):
            out[place] = f(*(a[place] for a in broadcast), **arguments)
        return out

    return of_arrays


def _unary(name: str, function: Any, f: Callable[..., Any], returns: str = "string", *words: bytes) -> Record:
    text = (lambda shape: Texts(shape, words)) if words else Texts
    return Record(
        name=name,
        function=function,
        reference=_each(f, np.object_ if returns == "string" else returns),
        variants=(call(text((3, 4))), call(text(())), call(text((0, 2)))),
        dtypes=("string",),
        returns=returns,
    )


def _upper(s: bytes) -> bytes:
    return s.decode(errors="replace").upper().encode()


def _count(s: bytes) -> int:
    """Characters of UTF-8, by their first bytes."""
    return sum(b & 0xC0 != 0x80 for b in s)


def _substr(s: bytes, pos: int, length: int) -> bytes:
    return s[pos:][:length]


def _split(text: Any, skip_empty: bool = True) -> list[Any]:
    rows = [[part for part in s.split(b" ") if part or (s and not skip_empty)] for s in text.tolist()]
    indices = [[i, j] for i, row in enumerate(rows) for j in range(len(row))]
    values = np.empty(len(indices), np.object_)
    values[:] = [part for row in rows for part in row]
    return [np.reshape(indices, (-1, 2)), values, np.array([len(rows), max(map(len, rows), default=0)])]


def _reduce_join(text: Any, axis: int = 0, separator: str = "", keep_dims: bool = False) -> Any:
    rows = np.moveaxis(text, axis, -1)
    joined = np.empty(rows.shape[:-1], np.object_)
    for place in np.ndindex(joined.shape):
        joined[place] = separator.encode().join(rows[place])
    return np.expand_dims(joined, axis) if keep_dims else joined


_PLACES = [[0, 0], [0, 1], [1, 0], [2, 1]]


def _features(values: Any) -> SparseTensor:
    return SparseTensor(_PLACES, values, [3, 2])


def _crossed(words: Any, numbers: Any, dense: Any) -> list[Any]:
    indices, values = [], []
    for row in range(3):
        places = [i for i, place in enumerate(_PLACES) if place[0] == row]
        found = [(words[i], numbers[j], d) for i in places for j in places for d in dense[row]]
        for j, (word, number, other) in enumerate(found):
            indices.append([row, j])
            values.append(word + b"_X_%d_X_" % number + other)
    return [np.array(indices), np.array(values, np.object_)]


def _cross(words: Any, numbers: Any, dense: Any) -> list[Any]:
    crossed = crossing.sparse_cross([_features(words), _features(numbers), dense])
    return [crossed.indices, crossed.values]


# ICU's numbers of Latin, Common, Cyrillic, Hiragana and Han, of no script, and for what is no code point.
_SCRIPTS = {0x41: 25, 0x20: 0, 0x416: 8, 0x3042: 20, 0x4E00: 17, 0x10FFFF: 103, 0x110000: -1}

RECORDS = [
    _unary("string_lower", characters.string_lower, bytes.lower),
    _unary("string_upper", characters.string_upper, bytes.upper),
    _unary("string_upper", lambda s: characters.string_upper(s, encoding="utf-8"), _upper),
    _unary("string_strip", parts.string_strip, bytes.strip),
    _unary("string_length", characters.string_length, len, "int32"),
    _unary(
        "string_length", lambda s: characters.string_length(s, unit="UTF8_CHAR"), _count, "int32", b"", "é漢a".encode()
    ),
    _unary(
        "regex_replace",
        lambda s: characters.regex_replace(s, "([a-c])+", r"<\1>"),
        lambda s: re.sub(b"([a-c])+", rb"<\1>", s),
        "string",
        b"",
        b"abcd cab",
        b"Axb",
    ),
    _unary(
        "regex_replace",
        lambda s: characters.regex_replace(s, " ", "", replace_global=False),
        lambda s: s.replace(b" ", b"", 1),
    ),
    _unary(
        "regex_full_match",
        lambda s: characters.regex_full_match(s, "[a-z]*"),
        lambda s: re.fullmatch(b"[a-z]*", s) is not None,
        "bool",
    ),
    _unary("encode_base64", encoding.encode_base64, lambda s: base64.urlsafe_b64encode(s).rstrip(b"=")),
    _unary("encode_base64", lambda s: encoding.encode_base64(s, pad=True), lambda s: base64.urlsafe_b64encode(s)),
    _unary(
        "decode_base64",
        encoding.decode_base64,
        lambda s: base64.urlsafe_b64decode(s + b"=="),
        "string",
        b"",
        b"YQ",
        b"_-8",
    ),
    _unary("string_to_number", encoding.string_to_number, float, "float32", b"1", b"-2.5", b"1e3", b" 7 "),
    Record(
        name="string_to_number",
        function=lambda s: encoding.string_to_number(s, "int64"),
        reference=_each(int, "int64"),
        variants=(call(Texts((5,), (b"1", b"-25", b"9007199254740993"))),),
        dtypes=("string",),
        returns="int64",
        refused=(Refused(lambda: encoding.string_to_number("1", "int8"), TypeError, "out_type"),),
    ),
    Record(
        name="string_join",
        function=lambda a, b: parts.string_join([a, b], "-"),
        reference=_each(lambda a, b: a + b"-" + b),
        variants=(call(Texts((3, 4)), Texts((3, 4))), call(Texts(()), Texts((5,))), call(Texts((0,)), Texts(()))),
        dtypes=("string",),
        needs="rank",
        refused=(Refused(lambda: parts.string_join([["a"], ["b", "c"]]), ValueError, "shape"),),
    ),
    Record(
        name="substr",
        function=lambda s, pos, length: parts.substr(s, pos, length),
        reference=_each(_substr),
        variants=(
            call(Texts((3, 4), (b"hello", b"world!")), Given(1), Given(3)),
            call(Texts((3,), (b"hello", b"worlds")), Given([0, 1, 5]), Given([9, 2, 1])),
        ),
        dtypes=("string",),
    ),
    Record(
        name="string_split",
        function=lambda s, **arguments: [
            (sp := string_split(s, **arguments)).indices,
            sp.values,
            sp.dense_shape,
        ],
        reference=_split,
        variants=(
            call(Texts((5,), (b"a b  c", b"", b" x "))),
            call(Texts((5,), (b"a b  c", b"", b" x ")), skip_empty=False),
            call(Texts((0,))),
        ),
        dtypes=("string",),
        returns=("int64", "string", "int64"),
        value_decides_shape=True,
    ),
    Record(
        name="reduce_join",
        function=parts.reduce_join,
        reference=_reduce_join,
        variants=(
            call(Texts((3, 4)), axis=0),
            call(Texts((3, 4)), axis=1, separator=", "),
            call(Texts((2, 3, 2)), axis=1, keep_dims=True),
        ),
        dtypes=("string",),
        needs="rank",
    ),
    Record(
        name="as_string",
        function=encoding.as_string,
        reference=_each(lambda x: b"%d" % x),
        variants=(call(Values((3, 4), -9, 99)), call(Values(()))),
        dtypes=("int8", "int32", "int64"),
        returns="string",
    ),
    Record(
        name="decode_raw",
        function=lambda s: encoding.decode_raw(s, "int16"),
        reference=lambda s: np.stack([np.frombuffer(x, "<i2") for x in s.tolist()]),
        variants=(call(Texts((3,), (b"\x01\x02\x03\x04", b"\xff\xff\x00\x80"))),),
        dtypes=("string",),
        returns="int16",
        value_decides_shape=True,
    ),
    Record(
        name="strings.format",
        function=lambda x, s: formatting.string_format("{}: {}", [x, s]),
        reference=lambda x, s: f"{x.item()}: [{' '.join(chr(34) + w.decode() + chr(34) for w in s)}]".encode(),
        variants=(call(Values((), 0, 9), Texts((3,), (b"a", b"Ab c"))),),
        dtypes=("int32",),
        returns="string",
        refused=(
            Refused(
                lambda: formatting.string_format("{}", []),
                ValueError,
                r"1 placeholder\(s\) in template does not match 0 tensor\(s\)",
            ),
        ),
    ),
    Record(
        name="strings.unicode_script",
        function=formatting.unicode_script,
        reference=lambda x: np.vectorize(_SCRIPTS.get)(x).astype("int32"),
        variants=(call(Given([0x41, 0x20, 0x416])), call(Given([[0x3042, 0x4E00], [0x10FFFF, 0x110000]]))),
        dtypes=("int32",),
    ),
    Record(
        name="sparse.cross",
        function=_cross,
        reference=_crossed,
        variants=(call(Texts((4,), (b"a", b"b")), Values((4,), 0, 9, "int64"), Texts((3, 2), (b"x", b"y"))),),
        dtypes=("string",),
        returns=("int64", "string"),
        value_decides_shape=True,
        refused=(
            Refused(lambda: crossing.sparse_cross("a"), TypeError, "Inputs must be a list"),
            Refused(lambda: crossing.sparse_cross([1]), TypeError, "All inputs must be SparseTensors"),
        ),
    ),
]
