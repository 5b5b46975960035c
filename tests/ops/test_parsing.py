"""Serialized examples, text and tensors are parsed as TensorFlow parses them, and what was written comes back."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden.parsing_programs import CASES, example, outcome, sequence
from google.protobuf import json_format
from hypothesis import given, strategies as st

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "parsing.json").read_text(encoding="utf-8"))

INTS = st.integers(-(2**63), 2**63 - 1)
FLOATS = st.floats(width=32, allow_nan=False)
LISTS = {
    tf.int64: st.lists(INTS, max_size=5),
    tf.float32: st.lists(FLOATS, max_size=5),
    tf.string: st.lists(st.binary(max_size=8), max_size=5),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_parsed_is_tensorflows(name: str) -> None:
    assert outcome(tf, CASES[name]) == GOLDEN[name]


def test_every_golden_case_is_compared() -> None:
    assert set(GOLDEN) == set(CASES)


def _feature(dtype: tf.DType, values: list[Any]) -> Any:
    if dtype == tf.int64:
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))
    if dtype == tf.float32:
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))


def _run(tensors: Any, feeds: dict[Any, Any] | None = None) -> Any:
    with tf.Session() as session:
        return session.run(tensors, feeds)


@given(st.data(), st.sampled_from(list(LISTS)))
def test_the_values_of_examples_come_back_as_rows_of_a_sparse_tensor(data: st.DataObject, dtype: tf.DType) -> None:
    rows = data.draw(st.lists(st.none() | LISTS[dtype], max_size=5))
    serialized = [
        tf.train.Example(
            features=tf.train.Features(feature={} if row is None else {"x": _feature(dtype, row)})
        ).SerializeToString()
        for row in rows
    ]
    with tf.Graph().as_default():
        batch = tf.placeholder(tf.string, [None])
        parsed = tf.parse_example(batch, {"x": tf.VarLenFeature(dtype)})
        indices, values, shape = _run(parsed, {batch: np.array(serialized, object)})["x"]
    lengths = [len(row or []) for row in rows]
    assert indices.tolist() == [[i, k] for i, n in enumerate(lengths) for k in range(n)]
    wanted = [v for row in rows for v in row or []]
    assert values.tolist() == (np.float32(wanted).tolist() if dtype == tf.float32 else wanted)
    assert shape.tolist() == [len(rows), max(lengths, default=0)]


@given(st.data(), st.sampled_from(list(LISTS)), st.integers(1, 4))
def test_a_batch_of_fixed_size_features_is_a_matrix(data: st.DataObject, dtype: tf.DType, n: int) -> None:
    item = {tf.int64: INTS, tf.float32: FLOATS, tf.string: st.binary(max_size=8)}[dtype]
    rows = data.draw(st.lists(st.lists(item, min_size=n, max_size=n), min_size=1, max_size=4))
    with tf.Graph().as_default():
        serialized = [
            tf.train.Example(features=tf.train.Features(feature={"x": _feature(dtype, row)})).SerializeToString()
            for row in rows
        ]
        batch = tf.parse_example(serialized, {"x": tf.FixedLenFeature([n], dtype)})["x"]
        single = tf.parse_single_example(serialized[0], {"x": tf.FixedLenFeature([n], dtype)})["x"]
        assert (batch.shape.as_list(), single.shape.as_list()) == ([len(rows), n], [n])
        found, first = _run([batch, single])
    assert found.tolist() == (np.float32(rows).tolist() if dtype == tf.float32 else rows)
    assert first.tolist() == found.tolist()[0]


@given(st.binary(max_size=60))
def test_bytes_that_are_no_example_never_do_harm(junk: bytes) -> None:
    features = {"x": tf.VarLenFeature(tf.int64), "y": tf.FixedLenFeature([1], tf.float32, [0.0])}
    with tf.Graph().as_default():
        text = tf.placeholder(tf.string, [])
        batch = tf.parse_example(tf.reshape(text, [1]), features)
        both = tf.parse_single_sequence_example(text, {"x": features["x"]}, {"y": tf.VarLenFeature(tf.string)})
        with tf.Session() as session:
            for parsed in (batch, both):
                try:
                    session.run(parsed, {text: junk})
                except tf.errors.InvalidArgumentError:
                    continue


def test_every_cut_of_an_example_is_an_error_or_a_shorter_example() -> None:
    whole = example(tf, a=[1, 2, 3], b=[b"xyz"], c=[0.5])
    features = {"a": tf.VarLenFeature(tf.int64), "b": tf.VarLenFeature(tf.string), "c": tf.VarLenFeature(tf.float32)}
    with tf.Graph().as_default(), tf.Session() as session:
        text = tf.placeholder(tf.string, [])
        parsed = tf.parse_single_example(text, features)
        for n in range(1, len(whole)):
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(parsed, {text: whole[:n]})


def test_sequence_errors_name_example_feature_and_step() -> None:
    serialized = sequence(tf, {"id": [b"word"]}, {"x": [[1], [2, 3]]})
    for context, lists, words in [
        (
            {"lost": tf.FixedLenFeature([], tf.int64)},
            {},
            "Name: n, Context feature 'lost' is required but",
        ),
        (
            {"id": tf.FixedLenFeature([], tf.int64)},
            {},
            "Name: n, Context feature: id.  Data types don't match.",
        ),
        ({}, {"x": tf.FixedLenSequenceFeature([], tf.int64)}, "Name: n, Key: x, Index: 1.  Number of int64 values != "),
        ({}, {"x": tf.VarLenFeature(tf.string)}, "Name: n, Feature List: x, Index: 0.  Data types don't match."),
    ]:
        with tf.Graph().as_default(), pytest.raises(tf.errors.InvalidArgumentError) as raised:
            _run(tf.parse_single_sequence_example(serialized, context, lists, example_name="n"))
        assert words in str(raised.value)


STEPS = st.none() | st.lists(st.lists(INTS, min_size=2, max_size=2), max_size=3)


@given(st.lists(st.tuples(st.none() | LISTS[tf.string], STEPS), max_size=4))
def test_a_batch_of_sequence_examples_is_its_examples_one_by_one(rows: list[tuple[Any, Any]]) -> None:
    serialized = [
        sequence(tf, {} if words is None else {"w": words or None}, {} if steps is None else {"x": steps, "y": steps})
        for words, steps in rows
    ]
    context = {"w": tf.VarLenFeature(tf.string)}
    lists = {"x": tf.FixedLenSequenceFeature([2], tf.int64, allow_missing=True), "y": tf.VarLenFeature(tf.int64)}
    with tf.Graph().as_default():
        batch = tf.io.parse_sequence_example(tf.constant(serialized, tf.string, [len(rows)]), context, lists)
        singles = [tf.parse_single_sequence_example(one, context, lists) for one in serialized]
        (words, found, lengths), apart = _run([batch, singles]) if singles else (_run(batch), [])
    assert lengths["x"].tolist() == [len(part["x"]) for _, part in apart]
    longest = max(lengths["x"].tolist(), default=0)
    assert found["x"].shape == (len(rows), longest, 2)
    for e, (one_context, one) in enumerate(apart):
        np.testing.assert_array_equal(found["x"][e, : len(one["x"])], one["x"])
        assert not found["x"][e, len(one["x"]) :].any()
        for whole, part in [(words["w"], one_context["w"]), (found["y"], one["y"])]:
            rows_of_example = whole.indices[:, 0] == e
            np.testing.assert_array_equal(whole.indices[rows_of_example][:, 1:], part.indices)
            np.testing.assert_array_equal(whole.values[rows_of_example], part.values)
    assert found["y"].dense_shape.tolist()[:2] == [len(rows), longest]


def test_sequence_errors_of_a_batch_name_example_feature_and_step() -> None:
    serialized = [sequence(tf, {"id": [b"a"]}, {"x": [[1]]}), sequence(tf, {"id": [b"b"]}, {"x": [[1], [2, 3]]})]
    for context, lists, words in [
        ({"id": tf.FixedLenFeature([], tf.int64)}, {}, "Name: n, Context feature: id.  Data types don't match."),
        ({"lost": tf.FixedLenFeature([], tf.int64)}, {}, "Name: n, Context feature 'lost' is required but"),
        ({}, {"x": tf.FixedLenSequenceFeature([], tf.int64)}, "Name: m, Key: x, Index: 1.  Number of int64 values != "),
        ({}, {"x": tf.VarLenFeature(tf.string)}, "Name: n, Feature list: x, Index: 0.  Data types don't match."),
    ]:
        with tf.Graph().as_default(), pytest.raises(tf.errors.InvalidArgumentError) as raised:
            _run(tf.io.parse_sequence_example(serialized, context, lists, example_names=["n", "m"]))
        assert words in str(raised.value)
    with tf.Graph().as_default(), pytest.raises(tf.errors.InvalidArgumentError, match="correct number of elements"):
        _run(tf.io.parse_sequence_example(serialized, {"id": tf.VarLenFeature(tf.string)}, example_names=["n"]))


@given(st.binary(max_size=40))
def test_bytes_that_are_no_sequence_example_never_do_harm(junk: bytes) -> None:
    context = {"w": tf.VarLenFeature(tf.string)}
    lists = {"x": tf.FixedLenSequenceFeature([2], tf.int64, allow_missing=True), "y": tf.VarLenFeature(tf.int64)}
    with tf.Graph().as_default():
        whole = sequence(tf, {"w": [b"a"]}, {"x": [[1, 2]], "y": [[3]]})
        text = tf.placeholder(tf.string, [None])
        parsed = tf.io.parse_sequence_example(text, context, lists)
        for damaged in (junk, whole[: len(junk)], whole + junk):
            try:
                _run(parsed, {text: [whole, damaged]})
            except tf.errors.InvalidArgumentError as error:
                assert "parse" in str(error) or "Data types" in str(error) or "Number of" in str(error)  # noqa: PT017


def test_descriptions_that_are_not_sound_are_refused() -> None:
    for features, words in [
        ({}, "Missing"),
        ({"a": tf.VarLenFeature(None)}, "Missing type for feature a"),
        ({"a": tf.FixedLenFeature(None, tf.int64)}, "Missing shape for feature a"),
        ({"a": tf.FixedLenFeature([None], tf.int64)}, "First dimension of shape for feature a unknown"),
        ({"a": tf.FixedLenFeature([2, None], tf.int64)}, "All dimensions of shape for feature a need to be known"),
        ({"a": tf.FixedLenSequenceFeature([], tf.int64)}, "requires allow_missing to be True"),
        ({"a": tf.SparseFeature([], "v", tf.int64, [])}, "Missing index_key for SparseFeature"),
        ({"a": "text"}, "Invalid feature a"),
    ]:
        with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
            tf.parse_example(tf.constant([b""]), features)
    with pytest.raises(ValueError, match="Unsupported FixedLenFeature"):
        tf.parse_single_sequence_example(b"", None, {"a": tf.FixedLenFeature([], tf.int64)})
    both = {"k": tf.SparseFeature("i", "v", tf.float32, 3), "v": tf.FixedLenFeature([], tf.float32)}
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Dense and sparse keys must not intersect"):
        tf.parse_example(tf.constant([b""]), both)


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\x00"), max_size=6)


@given(st.lists(st.lists(WORDS, min_size=3, max_size=3), min_size=1, max_size=4), st.sampled_from([",", ";", "\t"]))
def test_lines_that_pythons_csv_writes_are_read(rows: list[list[str]], delimiter: str) -> None:
    lines = []
    for row in rows:
        line = io.StringIO()
        csv.writer(line, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="").writerow(row)
        lines.append(line.getvalue())
    with tf.Graph().as_default():
        found = _run(tf.decode_csv(lines, [[""]] * 3, field_delim=delimiter))
    assert [list(column) for column in found] == [[v.encode() for v in column] for column in zip(*rows, strict=True)]


@given(st.lists(INTS, max_size=3), st.lists(FLOATS, max_size=3), st.lists(st.binary(max_size=6), max_size=3))
def test_examples_that_protobuf_writes_as_json_are_read(
    ints: list[int], floats: list[float], words: list[bytes]
) -> None:
    message = tf.train.Example()
    message.features.feature["i"].int64_list.value.extend(ints)
    message.features.feature['quo"ted \u00e9'].float_list.value.extend(floats)
    message.features.feature["b"].bytes_list.value.extend(words)
    with tf.Graph().as_default():
        serialized = _run(tf.decode_json_example(json_format.MessageToJson(message)))
    assert tf.train.Example.FromString(serialized) == message


@pytest.mark.parametrize(
    "text",
    [
        "{'features': {'feature': {'k': {'int64List': {'value': ['1']}}}}}",
        '{features: {feature: {k: {int64List: {value: ["1"]}}}}}',
        '{"features": {"feature": {"k": {"int64List": {"value": [1,],},},},},}',
        '{"features": {"feature": {"\\k": {"int64List": {"value": [1]}}}}}',
    ],
)
def test_json_that_only_protobuf_reads_is_read(text: str) -> None:
    """The texts are not JSON by RFC 8259; TensorFlow 1.15 reads them."""
    with tf.Graph().as_default():
        serialized = _run(tf.decode_json_example(text))
    assert list(tf.train.Example.FromString(serialized).features.feature["k"].int64_list.value) == [1]


@pytest.mark.parametrize("text", ["{", "[]", "nul", '{"features": {"wrong": 1}}', '{"a": 1} x', '{"features": 3}'])
def test_json_that_is_no_example_is_an_error(text: str) -> None:
    with tf.Graph().as_default(), pytest.raises(tf.errors.InvalidArgumentError, match="Error while parsing JSON"):
        _run(tf.decode_json_example([text]))


def test_serialized_tensors_are_tensor_protos() -> None:
    for value in [np.float32([[1, 2]]), np.int64(7), np.array([b"a", b""], object), np.bool_([True])]:
        with tf.Graph().as_default():
            tensor = tf.constant(value)
            text = tf.serialize_tensor(tensor)
            serialized, back = _run([text, tf.parse_tensor(text, tensor.dtype)])
        np.testing.assert_array_equal(back, value)
        np.testing.assert_array_equal(tf.make_ndarray(type(tf.make_tensor_proto(0)).FromString(serialized)), value)


def test_what_is_parsed_passes_no_gradient() -> None:
    with tf.Graph().as_default():
        x = tf.constant(2.0)
        (column,) = tf.decode_csv(["1.5"], [[0.0]])
        parsed = tf.parse_single_example(example(tf, v=[3.0]), {"v": tf.FixedLenFeature([], tf.float32)})["v"]
        assert _run(tf.gradients(x * column[0] * parsed, [x])[0]) == 4.5
