"""What is parsed from serialized examples, text and tensors, run with TensorFlow and with ferroflow alike."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np


def example(tf: Any, **features: Any) -> bytes:
    """A serialized example: lists by the type of their first value, None for a feature without a list."""
    return _features(tf, tf.train.Example, "features", features).SerializeToString(deterministic=True)


def _feature(tf: Any, values: Any) -> Any:
    if values is None:
        return tf.train.Feature()
    if values and isinstance(values[0], bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
    if values and isinstance(values[0], float):
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def _features(tf: Any, message: Any, field: str, features: dict[str, Any]) -> Any:
    made = tf.train.Features(feature={key: _feature(tf, values) for key, values in features.items()})
    return message(**{field: made})


def sequence(tf: Any, context: dict[str, Any], lists: dict[str, Any]) -> bytes:
    """A serialized sequence example."""
    made = _features(tf, tf.train.SequenceExample, "context", context)
    for key, steps in lists.items():
        made.feature_lists.feature_list[key].feature.extend(_feature(tf, values) for values in steps)
    return made.SerializeToString(deterministic=True)


def _batch(tf: Any) -> list[bytes]:
    return [
        example(tf, i=[1, -2], f=[0.5, 1.5, 2.5], b=[b"x", b""], one=[7]),
        example(tf, i=[], f=None, one=[8], unknown=[b"u"]),
        example(tf, i=[1 << 40], f=[3.5], b=[b"yz"], one=[9]),
    ]


def _sparse_and_dense(tf):
    parsed = tf.parse_example(
        _batch(tf),
        {
            "i": tf.VarLenFeature(tf.int64),
            "f": tf.VarLenFeature(tf.float32),
            "b": tf.VarLenFeature(tf.string),
            "one": tf.FixedLenFeature([], tf.int64),
            "d": tf.FixedLenFeature([2, 1], tf.float32, default_value=[[4.0], [5.0]]),
            "s": tf.FixedLenFeature([2], tf.string, default_value=[b"p", b"q"]),
        },
    )
    return [parsed[k] for k in sorted(parsed)]


def _padded(tf):
    parsed = tf.parse_example(
        _batch(tf),
        {
            "i": tf.FixedLenSequenceFeature([], tf.int64, allow_missing=True),
            "f": tf.FixedLenSequenceFeature([], tf.float32, allow_missing=True, default_value=-1.0),
            "b": tf.FixedLenSequenceFeature([1], tf.string, allow_missing=True, default_value=b"pad"),
        },
    )
    return [parsed[k] for k in sorted(parsed)]


def _sparse_feature(tf):
    rows = [example(tf, ix=[3, 0], iy=[1, 2], v=[1.0, 2.0]), example(tf, ix=[4], iy=[0], v=[3.0]), example(tf)]
    feature = tf.SparseFeature(["ix", "iy"], "v", tf.float32, [5, 3])
    return [tf.parse_example(rows, {"sp": feature})["sp"]]


def _single(tf):
    parsed = tf.parse_single_example(
        _batch(tf)[0],
        {
            "i": tf.VarLenFeature(tf.int64),
            "f": tf.FixedLenSequenceFeature([], tf.float32, allow_missing=True),
            "b": tf.FixedLenFeature([2], tf.string),
            "lacking": tf.FixedLenFeature([1], tf.int64, default_value=[5]),
            "none": tf.FixedLenSequenceFeature([2], tf.int64, allow_missing=True),
        },
    )
    return [parsed[k] for k in sorted(parsed)]


def _single_named(tf):
    features = {"i": tf.VarLenFeature(tf.int64), "b": tf.FixedLenFeature([2], tf.string)}
    parsed = tf.parse_single_example(_batch(tf)[0], features, example_names="n")
    return [parsed[k] for k in sorted(parsed)]


def _concatenated(tf):
    parts = example(tf, a=[1], b=[2]) + example(tf, b=[3])
    return list(tf.parse_single_example(parts, {k: tf.FixedLenFeature([], tf.int64) for k in "ab"}).values())


def _empty_batch(tf):
    features = {"a": tf.FixedLenFeature([2], tf.int64), "b": tf.VarLenFeature(tf.string)}
    parsed = tf.parse_example(tf.constant([], tf.string), features)
    return [parsed["a"], parsed["b"]]


def _sequence(tf):
    serialized = sequence(
        tf,
        {"id": [5], "w": [1.0, 2.0]},
        {"x": [[1, 2], [3, 4]], "y": [[b"a"], None, [b"b", b"c"]]},
    )
    context, lists = tf.parse_single_sequence_example(
        serialized,
        {
            "id": tf.FixedLenFeature([], tf.int64),
            "w": tf.VarLenFeature(tf.float32),
            "d": tf.FixedLenFeature([1], tf.string, default_value=[b"z"]),
        },
        {
            "x": tf.FixedLenSequenceFeature([2], tf.int64),
            "y": tf.VarLenFeature(tf.string),
            "none": tf.FixedLenSequenceFeature([3], tf.float32, allow_missing=True),
        },
    )
    return [*(context[k] for k in sorted(context)), *(lists[k] for k in sorted(lists))]


_LISTS = {"x": [[1, 2], [3, 4]], "y": [[b"a"], None, [b"b", b"c"]]}


def _sequences(tf, context=None, lists=None):
    """What is parsed from two sequence examples, the second of which has fewer steps and no `w`."""
    serialized = [
        sequence(tf, {"id": [5], "w": [1.0, 2.0]}, _LISTS),
        sequence(tf, {"id": [6]}, {"x": [[5, 6]], "y": []}),
    ]
    found = tf.io.parse_sequence_example(serialized, context, lists, example_names=["first", "second"])
    return [part[key] for part in found for key in sorted(part)]


def _sequence_batch(tf):
    context = {
        "id": tf.FixedLenFeature([], tf.int64),
        "w": tf.VarLenFeature(tf.float32),
        "d": tf.FixedLenFeature([1], tf.string, default_value=[b"z"]),
    }
    lists = {
        "x": tf.FixedLenSequenceFeature([2], tf.int64),
        "y": tf.VarLenFeature(tf.string),
        "none": tf.FixedLenSequenceFeature([3], tf.float32, allow_missing=True),
    }
    return _sequences(tf, context, lists)


def _csv(tf):
    lines = ['1, 2.5 ,"a ""b"", c",x,9', '-3,,d,"",', ' 7 ,1e3,"e\nf",NA,4']
    return tf.decode_csv(lines, [[0], [0.25], ["none"], ["empty"], [tf.constant(3, tf.int64)]], na_value="NA")


def _csv_columns(tf):
    return tf.decode_csv(["1;2;3;'x", '4;5;6;"y'], [[1.0], [""]], ";", use_quote_delim=False, select_cols=[1, 3])


def _broken(tf, **features):
    return tf.parse_example([example(tf, i=[1, 2]), example(tf, i=[1])], features, example_names=["first", "second"])


CASES: dict[str, Callable[[Any], Any]] = {
    "sparse and dense": _sparse_and_dense,
    "padded": _padded,
    "sparse feature": _sparse_feature,
    "single": _single,
    "single named": _single_named,
    "concatenated": _concatenated,
    "empty batch": _empty_batch,
    "sequence": _sequence,
    "sequence batch": _sequence_batch,
    "csv": _csv,
    "csv columns": _csv_columns,
    "tensor": lambda tf: [
        tf.parse_tensor(tf.serialize_tensor(tf.constant([[1.5, 2.5]])), tf.float32),
        tf.parse_tensor(tf.serialize_tensor(tf.constant([b"a", b""])), tf.string),
    ],
    "json": lambda tf: list(
        tf.parse_single_example(
            tf.decode_json_example(
                '{"features": {"feature": {"a": {"int64List": {"value": ["-7", 8]}},'
                ' "b": {"bytesList": {"value": ["aGk="]}}, "c": {"floatList": {"value": [0.5, 1e2]}}}}}'
            ),
            {
                "a": tf.FixedLenFeature([2], tf.int64),
                "b": tf.FixedLenFeature([1], tf.string),
                "c": tf.FixedLenFeature([2], tf.float32),
            },
        ).values()
    ),
    "error: missing": lambda tf: _broken(tf, x=tf.FixedLenFeature([1], tf.float32)),
    "error: size": lambda tf: _broken(tf, i=tf.FixedLenFeature([1, 2], tf.int64)),
    "error: type": lambda tf: _broken(tf, i=tf.FixedLenFeature([2], tf.string)),
    "error: sparse type": lambda tf: _broken(tf, i=tf.VarLenFeature(tf.float32)),
    "error: no example": lambda tf: tf.parse_example([b"\x0a\x05ab"], {"i": tf.VarLenFeature(tf.int64)}),
    "error: single missing": lambda tf: tf.parse_single_example(b"", {"x": tf.FixedLenFeature([1], tf.float32)}),
    "error: sequence missing": lambda tf: tf.parse_single_sequence_example(
        b"", sequence_features={"x": tf.FixedLenSequenceFeature([], tf.int64)}, example_name="n"
    )[1],
    "error: sequences missing": lambda tf: _sequences(tf, None, {"z": tf.FixedLenSequenceFeature([], tf.int64)}),
    "error: sequences sparse type": lambda tf: _sequences(tf, {"w": tf.VarLenFeature(tf.int64)}),
    "error: csv count": lambda tf: tf.decode_csv(["1,2,3"], [[1], [2]]),
    "error: csv number": lambda tf: tf.decode_csv(["1,x"], [[1], [2]]),
    "error: csv missing": lambda tf: tf.decode_csv(["1,"], [[1], tf.constant([], tf.int32)]),
    "error: csv quote": lambda tf: tf.decode_csv(['1,"a"b'], [[1], [""]]),
    "error: csv unquoted": lambda tf: tf.decode_csv(['1,a"b'], [[1], [""]]),
    "error: csv line end": lambda tf: tf.decode_csv(["1,ab\r\n"], [[1], [""]]),
    "error: csv open": lambda tf: tf.decode_csv(['1,"ab'], [[1], [""]]),
    "error: tensor type": lambda tf: [tf.parse_tensor(tf.serialize_tensor(tf.constant(1.0)), tf.int32)],
}


def _plain(value: Any) -> Any:
    array = np.asarray(value)
    flat = array.reshape(-1).tolist()
    return [[v.decode("latin-1") if isinstance(v, bytes) else v for v in flat], list(array.shape)]


def outcome(tf: Any, case: Callable[[Any], Any]) -> Any:
    """Elements and shapes of what a case gives, sparse tensors by their parts; or class and words of the error."""
    with tf.Graph().as_default(), tf.Session() as session:
        try:
            made = case(tf)
            made = list(made.values()) if isinstance(made, dict) else list(made)
            result = session.run(made)
        except tf.errors.OpError as error:
            # TensorFlow's words stand between where in the program it failed, and where in the graph.
            words = re.sub(r"^.*?\nNode: [^\n]*\n", "", str(error.message), flags=re.DOTALL)
            return [type(error).__name__, words.split("\n\t [[")[0]]
        plain = []
        for part in result:
            parts = part if isinstance(part, tuple) else (part,)
            plain += [_plain(p) for p in parts]
        return plain
