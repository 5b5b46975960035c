"""Boosted trees are those that TensorFlow 1.15.5 grows: losses, trees, metrics, predictions and explanations."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from golden.boosted_tree_programs import (
    CASES,
    CLASSES,
    NUMBERS,
    Case,
    X,
    columns_of,
    continued,
    estimator_of,
    result_of,
    whole,
)

import ferroflow as tf
from ferroflow.core.kernels.boosted_trees import boosted_trees_pb2

FOLDER = Path(__file__).parents[1] / "golden"
GOLDEN = json.loads((FOLDER / "boosted_trees.json").read_text(encoding="utf-8"))


def compare(ours, theirs, where=""):
    if isinstance(theirs, dict):
        assert sorted(ours) == sorted(theirs), where
        for key in theirs:
            compare(ours[key], theirs[key], f"{where}/{key}")
    elif isinstance(theirs, list):
        assert len(ours) == len(theirs), where
        for i, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            compare(one, other, f"{where}/{i}")
    elif isinstance(theirs, float):
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=1e-5, err_msg=where)
    else:
        assert ours == theirs, where


@pytest.mark.parametrize("name", CASES)
def test_the_trees_are_tensorflows(name):
    found = result_of(tf, CASES[name], boosted_trees_pb2.TreeEnsemble)
    compare(json.loads(json.dumps(found)), GOLDEN[name])


def test_a_training_of_tensorflow_goes_on(tmp_path):
    shutil.copytree(FOLDER / "boosted_trees", tmp_path, dirs_exist_ok=True)
    compare(continued(tf, str(tmp_path)), GOLDEN["continued"])


def trained(tmp_path, **arguments):
    case = Case("Regressor", ["bucketized"], NUMBERS, **{"n_trees": 2, "max_depth": 2, **arguments})
    estimator = estimator_of(tf, case, str(tmp_path))
    return case, estimator.train(whole(tf, NUMBERS), max_steps=100)


def test_a_training_goes_on_from_its_checkpoint(tmp_path):
    case = CASES["centered regression"]
    at_once = result_of(tf, case, boosted_trees_pb2.TreeEnsemble)
    estimator = estimator_of(tf, case, str(tmp_path))
    for steps in (2, 4, 100):
        estimator.train(whole(tf, case.labels), max_steps=steps)
    reader = tf.train.load_checkpoint(str(tmp_path))
    ensemble = boosted_trees_pb2.TreeEnsemble.FromString(reader.get_tensor("boosted_trees:0_serialized"))
    assert [len(tree.nodes) for tree in ensemble.trees] == [len(tree["nodes"]) for tree in at_once["trees"]["trees"]]


def test_more_trees_fit_better(tmp_path):
    losses = []
    for trees in (1, 4):
        _, estimator = trained(tmp_path / str(trees), n_trees=trees, learning_rate=0.5)
        losses.append(estimator.evaluate(whole(tf, NUMBERS), steps=1)["average_loss"])
    assert losses[1] < 0.9 * losses[0]


def test_contributions_sum_to_the_prediction(tmp_path):
    _, estimator = trained(tmp_path, center_bias=True)
    explained = estimator.experimental_predict_with_explanations(whole(tf, NUMBERS), predict_keys=["predictions"])
    for _ in range(5):
        found = next(explained)
        assert sorted(found) == ["bias", "dfc", "predictions"]
        assert found["bias"] + sum(found["dfc"].values()) == pytest.approx(found["predictions"][0], abs=1e-5)


def test_importances_are_shares(tmp_path):
    _, estimator = trained(tmp_path)
    assert sum(estimator.experimental_feature_importances(normalize=True).values()) == pytest.approx(1.0)


def test_an_exported_model_predicts(tmp_path):
    _, estimator = trained(tmp_path / "model")
    expected = [p["predictions"][0] for p, _ in zip(estimator.predict(whole(tf, NUMBERS)), range(3), strict=False)]
    columns = tf.feature_column.make_parse_example_spec(columns_of(tf, ["bucketized"]))
    receiver = tf.estimator.export.build_parsing_serving_input_receiver_fn(columns)
    folder = estimator.export_savedmodel(str(tmp_path / "export"), receiver)
    examples = []
    for value in X[:3, :1]:
        floats = tf.train.Feature(float_list=tf.train.FloatList(value=value))
        examples.append(tf.train.Example(features=tf.train.Features(feature={"a": floats})).SerializeToString())
    predict = tf.contrib.predictor.from_saved_model(folder.decode(), signature_def_key="predict")
    np.testing.assert_allclose(predict({"examples": examples})["predictions"][:, 0], expected, rtol=1e-6)


def test_arguments_are_checked(tmp_path):
    columns = columns_of(tf, ["bucketized"])
    with pytest.raises(ValueError, match="only binary classification"):
        tf.estimator.BoostedTreesClassifier(columns, 1, n_classes=3)
    with pytest.raises(ValueError, match="only 1 dimension"):
        tf.estimator.BoostedTreesRegressor(columns, 1, label_dimension=2)
    with pytest.raises(ValueError, match="wrapped by IndicatorColumn"):
        tf.estimator.BoostedTreesRegressor([tf.feature_column.categorical_column_with_identity("c", 3)], 1)
    for arguments, message in (
        ({"pruning_mode": "pre"}, "tree_complexity must be positive"),
        ({"tree_complexity": 0.1}, "unless pruning mode"),
        ({"pruning_mode": "all"}, "none, post, pre"),
    ):
        with pytest.raises(ValueError, match=message):
            trained(tmp_path, **arguments)
    _, estimator = trained(tmp_path)
    with pytest.raises(ValueError, match="center_bias must be enabled"):
        next(estimator.experimental_predict_with_explanations(whole(tf, CLASSES)))
    made = tf.estimator.BoostedTreesRegressor(columns, 2, train_in_memory=True, model_dir=str(tmp_path / "m"))
    with pytest.raises(AssertionError, match="entire dataset"):
        made.train(whole(tf, NUMBERS), max_steps=1)
