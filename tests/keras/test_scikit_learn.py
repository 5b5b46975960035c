"""Models as estimators: alone, and in scikit-learn's searches and pipelines."""

from __future__ import annotations

import numpy as np
import pytest

import ferroflow as tf

wrappers = tf.keras.wrappers.scikit_learn
layers = tf.keras.layers
numbers = np.random.RandomState(0)
X = numbers.normal(size=[60, 3]).astype(np.float32)
NAMES = np.where(X[:, 0] > 0, "yes", "no")


def classifier(units=8, loss="categorical_crossentropy"):
    outputs = layers.Dense(2, activation="softmax")
    model = tf.keras.Sequential([layers.Dense(units, activation="relu", input_shape=(3,)), outputs])
    model.compile(tf.keras.optimizers.Adam(0.05), loss, metrics=["accuracy"])
    return model


def regressor():
    model = tf.keras.Sequential([layers.Dense(1, input_shape=(3,))])
    model.compile(tf.keras.optimizers.SGD(0.1), "mse")
    return model


@pytest.mark.parametrize("loss", ["categorical_crossentropy", "sparse_categorical_crossentropy"])
def test_a_classifier_finds_names_of_classes(loss):
    made = wrappers.KerasClassifier(classifier, epochs=30, verbose=0, loss=loss)
    made.fit(X, NAMES)
    assert made.classes_.tolist() == ["no", "yes"]
    assert np.mean(made.predict(X) == NAMES) > 0.9
    assert made.score(X, NAMES) == pytest.approx(np.mean(made.predict(X) == NAMES), abs=1e-6)
    np.testing.assert_allclose(made.predict_proba(X).sum(1), 1, rtol=1e-5)


def test_one_output_has_two_probabilities():
    def build():
        model = tf.keras.Sequential([layers.Dense(1, activation="sigmoid", input_shape=(3,))])
        model.compile("sgd", "binary_crossentropy")
        return model

    made = wrappers.KerasClassifier(build, verbose=0)
    made.fit(X, X[:, 0] > 0)
    assert made.predict_proba(X).shape == (60, 2)
    assert made.predict(X).shape == (60, 1)
    with pytest.raises(ValueError, match="not configured to compute accuracy"):
        made.score(X, X[:, :1] > 0)


def test_a_regressor_scores_by_its_loss():
    made = wrappers.KerasRegressor(build_fn=regressor, epochs=20, verbose=0)
    made.fit(X, X.sum(1))
    assert made.predict(X).shape == (60,)
    assert made.score(X, X.sum(1)) == pytest.approx(-np.mean((made.predict(X) - X.sum(1)) ** 2), rel=1e-4)


def test_parameters_are_checked_and_changed():
    with pytest.raises(ValueError, match="speed is not a legal parameter"):
        wrappers.KerasRegressor(regressor, speed=1)
    made = wrappers.KerasClassifier(classifier, units=4)
    assert made.get_params(deep=True) == {"units": 4, "build_fn": classifier}
    assert made.set_params(units=5, batch_size=2).filter_sk_params(tf.keras.Sequential.fit) == {"batch_size": 2}
    with pytest.raises(ValueError, match="speed is not a legal parameter"):
        made.set_params(speed=1)


class Own(wrappers.KerasRegressor):
    def __call__(self, rate=0.1):
        return regressor()


def test_a_subclass_builds_its_model_itself():
    made = Own(rate=0.2, verbose=0)
    made.fit(X, X.sum(1))
    assert made.predict(X[:1]).shape == ()


def test_scikit_learn_searches_and_clones():
    selection = pytest.importorskip("sklearn.model_selection", reason="scikit-learn is not installed")
    from sklearn.base import clone

    made = wrappers.KerasClassifier(classifier, epochs=5, verbose=0)
    assert clone(made).get_params() == made.get_params()
    search = selection.GridSearchCV(made, {"units": [2, 8], "batch_size": [10]}, cv=2, n_jobs=1)
    search.fit(X, NAMES)
    assert set(search.best_params_) == {"units", "batch_size"}
    assert np.isfinite(search.best_score_)
    assert len(selection.cross_val_score(made, X, NAMES, cv=3)) == 3
