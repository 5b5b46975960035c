"""Signatures name tensors with their types, and those that a server cannot offer are not valid."""

from __future__ import annotations

from typing import Any

import pytest

import ferroflow as tf
from ferroflow._src.saved_model import signatures

_utils = tf.saved_model.signature_def_utils
_info = tf.saved_model.utils.build_tensor_info


def test_dense_and_sparse_tensors_are_found_again() -> None:
    with tf.Graph().as_default():
        dense = tf.placeholder(tf.float32, [None, 3], name="inside/dense")
        sparse = tf.sparse_placeholder(tf.int64, [2, 4], name="inside/sparse")
        info = _info(dense)
        assert (info.name, info.dtype, [d.size for d in info.tensor_shape.dim]) == ("inside/dense:0", 1, [-1, 3])
        find = tf.saved_model.utils.get_tensor_from_tensor_info
        assert find(info) is dense
        found = find(_info(sparse))
        assert (found.indices, found.values, found.dense_shape) == (
            sparse.indices,
            sparse.values,
            sparse.dense_shape,
        )
        info.name = "dense:0"
        assert find(info, import_scope="inside") is dense
        with pytest.raises(KeyError, match="dense"):
            find(info)
        with pytest.raises(ValueError, match=r"Invalid TensorInfo\.encoding: None"):
            find(tf.TensorInfo(dtype=1))
        with pytest.raises(KeyError):
            find(_info(dense), graph=tf.Graph())


def test_signatures_of_classification_and_regression() -> None:
    with tf.Graph().as_default():
        examples = tf.placeholder(tf.string, [None], name="examples")
        scores = tf.placeholder(tf.float32, [None], name="scores")
        classes = tf.placeholder(tf.string, [None], name="classes")
        numbers = tf.placeholder(tf.int64, [None])
        made = _utils.regression_signature_def(examples, scores)
        assert made.method_name == "tensorflow/serving/regress"
        assert (made.inputs["inputs"].name, made.outputs["outputs"].name) == ("examples:0", "scores:0")
        assert _utils.is_valid_signature(made)
        for given in ((classes, scores), (None, scores), (classes, None)):
            made = _utils.classification_signature_def(examples, *given)
            assert made.method_name == "tensorflow/serving/classify"
            assert _utils.is_valid_signature(made)
            wanted = {n for n, t in zip(("classes", "scores"), given, strict=True) if t is not None}
            assert set(made.outputs) == wanted
        refused: list[tuple[Any, tuple[Any, ...], str]] = [
            (_utils.regression_signature_def, (None, scores), "Regression examples cannot be None"),
            (_utils.regression_signature_def, ("x", scores), "Regression examples must be a string Tensor"),
            (_utils.regression_signature_def, (numbers, scores), "Regression examples must be a string Tensor"),
            (_utils.regression_signature_def, (examples, None), "Regression predictions cannot be None"),
            (_utils.regression_signature_def, (examples, numbers), "Regression output must be a float Tensor"),
            (_utils.classification_signature_def, (None, classes, scores), "Classification examples cannot be None"),
            (_utils.classification_signature_def, (examples, None, None), "classes and scores cannot both be None"),
            (_utils.classification_signature_def, (examples, numbers, None), "classes must be a string Tensor"),
            (_utils.classification_signature_def, (examples, None, numbers), "scores must be a float Tensor"),
            (_utils.predict_signature_def, ({}, {"y": scores}), "Prediction inputs cannot be None or empty"),
            (_utils.predict_signature_def, ({"x": scores}, None), "Prediction outputs cannot be None or empty"),
        ]
        for function, arguments, words in refused:
            with pytest.raises(ValueError, match=words):
                function(*arguments)


def test_what_a_server_cannot_offer_is_not_valid() -> None:
    string, number = tf.TensorInfo(name="s", dtype=7), tf.TensorInfo(name="f", dtype=1)
    build = _utils.build_signature_def
    for method, inputs, outputs in (
        ("tensorflow/serving/regress", {"inputs": number}, {"outputs": number}),
        ("tensorflow/serving/regress", {"inputs": string}, {"outputs": string}),
        ("tensorflow/serving/regress", {"inputs": string, "more": string}, {"outputs": number}),
        ("tensorflow/serving/regress", {"inputs": string}, {"other": number}),
        ("tensorflow/serving/classify", {"inputs": number}, {"classes": string}),
        ("tensorflow/serving/classify", {"inputs": string}, {}),
        ("tensorflow/serving/classify", {"inputs": string}, {"classes": number}),
        ("tensorflow/serving/classify", {"inputs": string}, {"scores": string}),
        ("tensorflow/serving/classify", {"inputs": string}, {"scores": number, "other": number}),
        ("tensorflow/serving/predict", {}, {"y": number}),
        ("tensorflow/serving/predict", {"x": number}, {}),
        ("unknown", {"x": number}, {"y": number}),
    ):
        assert not _utils.is_valid_signature(build(inputs, outputs, method))
    assert _utils.is_valid_signature(build({"x": number}, {"y": string}, "tensorflow/serving/predict"))
    assert not _utils.is_valid_signature(None)


def test_shapes_and_types_of_a_signature() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 3])
        y = tf.placeholder(tf.int32)
        made = _utils.predict_signature_def({"x": x}, {"y": y})
    assert signatures.get_signature_def_input_shapes(made)["x"].as_list() == [None, 3]
    assert signatures.get_signature_def_input_types(made) == {"x": tf.float32}
    assert signatures.get_signature_def_output_shapes(made)["y"].ndims is None
    assert signatures.get_signature_def_output_types(made) == {"y": tf.int32}


def test_signatures_are_found_by_name() -> None:
    message = tf.MetaGraphDef()
    message.signature_def["known"].method_name = "m"
    assert tf.contrib.saved_model.get_signature_def_by_key(message, "known").method_name == "m"
    with pytest.raises(ValueError, match="No SignatureDef with key 'other' found in MetaGraphDef"):
        tf.contrib.saved_model.get_signature_def_by_key(message, "other")
