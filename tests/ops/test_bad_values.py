"""Values that an op cannot take raise what TensorFlow 1.15.5 raises, known or fed; those that it can take pass."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ferroflow as tf

INVALID, LOST = tf.errors.InvalidArgumentError, tf.errors.DataLossError
UNIMPLEMENTED = tf.errors.UnimplementedError
# From a value and its dtype to a tensor, a constant or a placeholder.
Make = Callable[..., Any]

_MIRRORS = [("REFLECT", [0], [[0, 0]]), ("REFLECT", [2, 0], [[1, 0], [0, 0]]), ("SYMMETRIC", [0], [[1, 0]])]


def _i(values: Any) -> tuple[Any, Any]:
    return values, tf.int32


def _variable_slice(key: Any, value: Any, use_resource: bool = False) -> Callable[[Make], Any]:
    def build(make: Make) -> Any:
        v = tf.Variable([0.0, 1.0, 2.0, 3.0], use_resource=use_resource)
        with tf.control_dependencies([v.initializer]):
            written = v[key].assign(make(value))
        with tf.control_dependencies([written]):
            return v.read_value() if use_resource else tf.identity(written)

    return build


# By case: what is built of known or fed values, the class of its refusal by the step, and its words.
REFUSED: dict[str, tuple[Callable[[Make], Any], type[Exception], str]] = {
    "one part of a scalar": (
        lambda t: tf.split(t(3.0), 1),
        INVALID,
        r"-input rank\(-?0\) <= split_dim < input rank \(0\), but got 0",
    ),
    "one part along an axis outside": (
        lambda t: tf.split(t([1.0]), 1, axis=t(*_i(1))),
        INVALID,
        r"-input rank\(-1\) <= split_dim < input rank \(1\), but got 1",
    ),
    "one part of a worked out size": (
        lambda t: tf.split(t([1.0, 2.0]), t(*_i([-1])), num=1),
        INVALID,
        "If there is only one output, it must have the same size as the input. Input size: 2 output size: -1",
    ),
    "one part of another size": (
        lambda t: tf.split(t([1.0, 2.0]), t(*_i([5])), num=1),
        INVALID,
        "If there is only one output, it must have the same size as the input. Input size: 2 output size: 5",
    ),
    "one part of a scalar by size": (
        lambda t: tf.split(t(3.0), t(*_i([1])), num=1),
        INVALID,
        r"-input rank\(-?0\) <= split_dim < input rank \(0\), but got 0",
    ),
    "a colored picture as a gray one": (
        lambda t: tf.image.grayscale_to_rgb(t(np.ones([2, 2, 3]))),
        INVALID,
        "Last dimension of a grayscale image should be size 1",
    ),
    "updates without a batch": (
        lambda t: tf.scatter_nd(t(*_i([1])), t(5.0), t(*_i([4]))),
        INVALID,
        r"Updates shape must have rank at least one. Found:\[\]",
    ),
    "updates of another batch": (
        lambda t: tf.scatter_nd(t(*_i([[1], [2]])), t([5.0]), t(*_i([4]))),
        INVALID,
        r"Outer dimensions of indices and update must match. Indices shape: \[2,1\], updates shape:\[1\]",
    ),
    "updates of another slice": (
        lambda t: tf.scatter_nd(t(*_i([1, 2])), t([5.0, 6.0]), t(*_i([4]))),
        INVALID,
        r"Inner dimensions of output shape must match inner dimensions of updates shape. Output: \[4\] updates: \[2\]",
    ),
    "updates of a vector of indices": (
        lambda t: tf.scatter_nd(t(*_i([1])), t([5.0, 6.0]), t(*_i([4, 2]))),
        INVALID,
        r"The outermost dimension of updates and indices must match",
    ),
    "updates of a tensor without a batch": (
        lambda t: tf.raw_ops.TensorScatterUpdate(tensor=t([0.0, 1.0]), indices=t(*_i([1])), updates=t(5.0)),
        INVALID,
        "Updates shape must have rank at least one",
    ),
    "updates outside": (
        lambda t: tf.scatter_nd(t(*_i([[9]])), t([1.0]), t(*_i([4]))),
        INVALID,
        r"indices\[0\] = \[9\] does not index into shape \[4\]",
    ),
    "rows of nothing": (
        lambda t: tf.gather_nd(t(np.zeros([2, 0])), t(*_i([[0]]))),
        INVALID,
        r"Requested more than 0 entries, but params is empty.  Params shape: \[2,0\]",
    ),
    "where of a scalar": (lambda t: tf.where(t(True, tf.bool)), INVALID, "WhereOp : Unhandled input dimensions: 0"),
    **{
        f"{mode} of {shape}": (
            lambda t, m=mode, s=shape, p=pads: tf.pad(t(np.zeros(s)), t(*_i(p)), m),
            INVALID,
            "paddings must be",
        )
        for mode, shape, pads in _MIRRORS
    },
    "an inverted range": (
        lambda t: tf.histogram_fixed_width(t([1.0, 2.0]), t([5.0, 1.0]), t(*_i(3))),
        INVALID,
        r"value_range should satisfy value_range\[0\] < value_range\[1\], but got '\[5, 1\]'",
    ),
    "a range of nothing": (
        lambda t: tf.histogram_fixed_width(t([1.0, 2.0]), t([1.0, 1.0]), t(*_i(3))),
        INVALID,
        r"but got '\[1, 1\]'",
    ),
    "a range of three": (
        lambda t: tf.histogram_fixed_width(t([1.0]), t([0.0, 1.0, 2.0]), t(*_i(3))),
        INVALID,
        "value_range should be a vector of 2 elements|Dimension must be 2 but is 3",
    ),
    "no bins": (
        lambda t: tf.histogram_fixed_width(t([1.0]), t([0.0, 1.0]), t(*_i(0))),
        INVALID,
        "nbins should be a positive number|Requires nbins > 0: 0",
    ),
    "a histogram of NaN": (
        lambda t: tf.histogram_fixed_width(t([np.nan]), t([0.0, 1.0]), t(*_i(2))),
        INVALID,
        "must not contain NaN",
    ),
    "strings joined twice along one axis": (
        lambda t: tf.reduce_join(t([["a", "b"]], tf.string), t(*_i([0, -2]))),
        INVALID,
        "Duplicate reduction dimension -2",
    ),
    "two axes of unique": (
        lambda t: tf.raw_ops.UniqueV2(x=t([[1.0]]), axis=t(*_i([0, 0]))),
        INVALID,
        "axis does not support input tensors larger than 1 elements",
    ),
    "a block outside": (
        lambda t: tf.slice(t([1.0, 2.0]), t(*_i([3])), t(*_i([1]))),
        INVALID,
        r"Expected begin\[0\] in \[0, 2\], but got 3",
    ),
    "an axis outside": (
        lambda t: tf.reduce_sum(t([1.0, 2.0]), t(*_i([1]))),
        INVALID,
        r"Invalid reduction dimension",
    ),
    "one value for a slice of one": (_variable_slice(slice(1, 2), 5.0), UNIMPLEMENTED, "does not match r-value shape"),
    "a vector for an element": (_variable_slice(1, [5.0]), UNIMPLEMENTED, "does not match r-value shape"),
    "three values for two": (_variable_slice(slice(1, 3), [1.0, 2.0, 3.0]), UNIMPLEMENTED, "Automatic broadcasting"),
    **{
        f"{name} of {content[:12]!r}": (
            lambda t, n=name, c=content: tf.decode_compressed(t([c], tf.string), n),
            LOST,
            r"inflate\(\) failed with error -3",
        )
        for name, content in [
            ("ZLIB", b"junk"),
            ("ZLIB", gzip.compress(b"x", mtime=0)),
            ("GZIP", b"junk"),
            ("GZIP", zlib.compress(b"x")),
        ]
    },
    "an integer with a plus sign": (
        lambda t: tf.decode_csv(t(["+5"], tf.string), [[0]])[0],
        INVALID,
        r"Field 0 in record 0 is not a valid int32: \+5",
    ),
    "infinity in full": (
        lambda t: tf.string_to_number(t(["infinity"], tf.string)),
        INVALID,
        "could not correctly convert string: infinity",
    ),
    "no picture": (
        lambda t: tf.image.encode_png(t(np.zeros([0, 4, 3]), tf.uint8)),
        tf.errors.InternalError,
        r"PNG encoding failed: image is empty, of shape \[0,4,3\]",
    ),
}

# What TensorFlow 1.15.5 takes, and gives.
TAKEN: dict[str, tuple[Callable[[Make], Any], Any]] = {
    "strings scattered": (
        lambda t: tf.scatter_nd(t(*_i([[0], [2], [0]])), t(["a", "b", "c"], tf.string), t(*_i([4]))),
        [b"ac", b"", b"b", b""],
    ),
    "truths scattered": (
        lambda t: tf.scatter_nd(t(*_i([[0], [0]])), t([True, False], tf.bool), t(*_i([2]))),
        [True, False],
    ),
    "one part of that size": (lambda t: tf.split(t([1.0, 2.0]), t(*_i([2])), num=1)[0], [1.0, 2.0]),
    "one equal part": (lambda t: tf.split(t([1.0, 2.0]), 1, axis=t(*_i(-1)))[0], [1.0, 2.0]),
    "a scalar for nothing": (_variable_slice(slice(2, 2), 7.0), [0.0, 1.0, 2.0, 3.0]),
    "two values for nothing": (_variable_slice(slice(2, 2), [7.0, 8.0]), [0.0, 1.0, 2.0, 3.0]),
    "a scalar for nothing behind a handle": (_variable_slice(slice(2, 2), 7.0, True), [0.0, 1.0, 2.0, 3.0]),
    "hexadecimal": (lambda t: tf.string_to_number(t(["0x1F", "-0X1f"], tf.string)), [31.0, -31.0]),
    "hexadecimal in a line": (lambda t: tf.decode_csv(t(["0x1F"], tf.string), [[0.0]])[0], [31.0]),
    "a histogram": (
        lambda t: tf.histogram_fixed_width(t([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0]), t([0.0, 5.0]), t(*_i(5))),
        [2, 1, 1, 0, 2],
    ),
    "a histogram of integers": (
        lambda t: tf.histogram_fixed_width(t(*_i([-1, 0, 1, 2, 5, 15])), t(*_i([0, 5])), t(*_i(5)), tf.int64),
        [2, 1, 1, 0, 2],
    ),
    "an axis that is named twice": (lambda t: tf.reduce_sum(t([[1.0, 2.0]]), t(*_i([1, -1]))), [3.0]),
    "shapes that differ": (
        lambda t: tf.raw_ops.NotEqual(x=t([1.0, 2.0]), y=t([1.0, 2.0, 3.0]), incompatible_shape_error=False),
        True,
    ),
    "shapes that are equal": (
        lambda t: tf.raw_ops.Equal(x=t([1.0, 2.0]), y=t([1.0, 3.0]), incompatible_shape_error=False),
        [True, False],
    ),
    "a conversion that truncates": (
        lambda t: tf.cast(tf.raw_ops.Cast(x=t([1.0 + 0.75 / 128]), DstT=tf.bfloat16, Truncate=True), tf.float32),
        [1.0],
    ),
    "the end of a gzip stream": (
        lambda t: tf.decode_compressed(t([gzip.compress(b"a", mtime=0) + b"more"], tf.string), "GZIP"),
        [b"a"],
    ),
}


def _constant(value: Any, dtype: Any = tf.float32) -> Any:
    return tf.constant(value, dtype)


class _Fed:
    """Placeholders of unknown shape, and their values."""

    def __init__(self) -> None:
        self.feeds: dict[Any, Any] = {}

    def __call__(self, value: Any, dtype: Any = tf.float32) -> Any:
        fed = tf.placeholder(dtype)
        self.feeds[fed] = np.array(value, dtype.as_numpy_dtype)
        return fed


@pytest.mark.parametrize("case", REFUSED)
def test_known_values_are_refused_when_the_graph_is_built_or_run(case: str) -> None:
    build, kind, words = REFUSED[case]
    with tf.Graph().as_default(), tf.Session() as session, pytest.raises((ValueError, kind)):
        session.run(build(_constant))
    assert words


@pytest.mark.parametrize("case", REFUSED)
def test_fed_values_are_refused_in_tensorflows_words(case: str) -> None:
    build, kind, words = REFUSED[case]
    with tf.Graph().as_default(), tf.Session() as session:
        make = _Fed()
        fetched = build(make)
        with pytest.raises(kind, match=words):
            session.run(fetched, make.feeds)


@pytest.mark.parametrize("case", TAKEN)
def test_what_tensorflow_takes_passes(case: str) -> None:
    build, expected = TAKEN[case]
    with tf.Graph().as_default(), tf.Session() as session:
        assert np.asarray(session.run(build(_constant))).tolist() == expected
        make = _Fed()
        fetched = build(make)
        assert np.asarray(session.run(fetched, make.feeds)).tolist() == expected


def test_an_axis_of_log_softmax_outside_is_invalid_when_the_graph_is_built() -> None:
    with tf.Graph().as_default(), pytest.raises(INVALID, match=r"Dimension \(2\) must be in the range \[-2, 2\)"):
        tf.nn.log_softmax(tf.zeros([2, 3]), 2)


@pytest.mark.parametrize(
    ("sizes", "axis", "words"),
    [
        (
            2,
            0,
            r"Dimension size must be evenly divisible by 2 but is 3\n\tNumber of ways to split should evenly divide",
        ),
        (2, 2, r"Dimension size, given by scalar input 2 must be in range \[-2, 2\)"),
        (0, 0, r"Attr 'num_split' of 'Split' Op passed 0 less than minimum 1\."),
        ([2, 2], 0, r"can't split axis of size 3 into pieces of size \[2,2\]"),
        ([4, -1], 0, r"can't split axis of size 3 into pieces of size \[4,-1\]"),
        ([-1, -1], 0, "size_splits can only have one -1"),
        ([1, 2], 4, r"Dimension size, given by scalar input 4 must be in range \[-2, 2\)"),
    ],
)
def test_known_splits_are_refused_in_tensorflows_words(sizes: int | list[int], axis: int, words: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
        tf.split(tf.zeros([3, 4]), sizes, axis)


def test_types_of_inputs_are_checked_before_attributes_that_are_given() -> None:
    with tf.Graph().as_default():
        images, numbers = tf.ones([4, 3, 3, 1]), tf.zeros([2, 2], tf.bfloat16)
        with pytest.raises(TypeError, match="parameter 'crops' has DataType bfloat16 not in list of allowed values"):
            tf.raw_ops.BatchToSpace(input=images, crops=numbers, block_size=1)
        with pytest.raises(ValueError, match="'block_size' of 'BatchToSpace' Op passed 1 less than minimum 2"):
            tf.raw_ops.BatchToSpace(input=images, crops=tf.zeros([2, 2], tf.int32), block_size=1)


def test_attributes_of_tensorflow_1_15_may_be_given() -> None:
    with tf.Graph().as_default():
        schemas = {
            "BatchDatasetV2": "parallel_copy",
            "ConditionalAccumulator": "reduction_type",
            "MapDataset": "preserve_cardinality",
            "PaddedBatchDatasetV2": "parallel_copy",
            "ParallelMapDataset": "sloppy",
            "PrefetchDataset": "slack_period",
            "ScanDataset": "preserve_cardinality",
        }
        for op_type, attribute in schemas.items():
            assert f"    {attribute}: " in str(getattr(tf.raw_ops, op_type).__doc__), op_type
