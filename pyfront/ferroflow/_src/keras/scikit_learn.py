"""Keras models with the interface of scikit-learn's estimators."""

from __future__ import annotations

import copy
import importlib
import inspect
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ferroflow._src.keras.losses import categorical_crossentropy
from ferroflow._src.keras.model import Model
from ferroflow._src.keras.sequences import to_categorical
from ferroflow._src.keras.sequential import Sequential

# The methods that a parameter may be for, besides the function that builds the model.
_METHODS: Final = (Sequential.fit, Sequential.predict, Sequential.predict_classes, Sequential.evaluate)


def _parameters(function: Any) -> Any:
    return inspect.signature(function).parameters


class _Estimator:
    """Base of the estimators.

    Args:
        build_fn: callable that returns a compiled model; None if a subclass defines `__call__`.
        **sk_params: arguments of `build_fn`, and of the methods `fit`, `predict` and `evaluate` of the model.

    Attributes:
        model: Model, after `fit`.

    Raises:
        ValueError: if no callable has a parameter of that name.
    """

    _estimator_type: str

    def __init__(self, build_fn: Any = None, **sk_params: Any) -> None:
        self.build_fn = build_fn
        self.sk_params = sk_params
        self.check_params(sk_params)

    def __sklearn_tags__(self) -> Any:
        """Returns an estimator's tags for scikit-learn 1.6 and later: its kind, and that it needs labels."""
        tags = importlib.import_module("sklearn.utils")
        kind = self._estimator_type
        return tags.Tags(
            estimator_type=kind,
            target_tags=tags.TargetTags(required=True),
            classifier_tags=tags.ClassifierTags() if kind == "classifier" else None,
            regressor_tags=tags.RegressorTags() if kind == "regressor" else None,
        )

    def _builder(self) -> Callable[..., Any]:
        given: Any = self if self.build_fn is None else self.build_fn
        is_plain = inspect.isfunction(given) or inspect.ismethod(given)
        builder: Callable[..., Any] = given if is_plain else given.__call__
        return builder

    def check_params(self, params: dict[str, Any]) -> None:
        """Raises ValueError if a parameter belongs to no callable.

        Args:
            params: dict of parameters.

        Raises:
            ValueError: if no callable has a parameter of that name.
        """
        known = {"nb_epoch"}
        for function in (*_METHODS, self._builder()):
            known.update(_parameters(function))
        for name in params:
            if name not in known:
                raise ValueError(f"{name} is not a legal parameter")

    def get_params(self, **params: Any) -> dict[str, Any]:
        """Returns the parameters.

        Args:
            **params: `deep`, accepted as scikit-learn gives it.

        Returns:
            dict of all parameters and `build_fn`.
        """
        del params
        return {**copy.deepcopy(self.sk_params), "build_fn": self.build_fn}

    def set_params(self, **params: Any) -> Any:
        """Changes parameters.

        Args:
            **params: dict of parameters by name.

        Returns:
            This object.

        Raises:
            ValueError: if no callable has a parameter of that name.
        """
        self.check_params({name: value for name, value in params.items() if name != "build_fn"})
        if "build_fn" in params:
            self.build_fn = params.pop("build_fn")
        self.sk_params.update(params)
        return self

    def filter_sk_params(self, fn: Any, override: dict[str, Any] | None = None) -> dict[str, Any]:
        """Returns the parameters that a function takes.

        Args:
            fn: callable.
            override: dict of values that go before the parameters' own.

        Returns:
            dict.
        """
        taken = _parameters(fn)
        found = {name: value for name, value in self.sk_params.items() if name in taken}
        return {**found, **(override or {})}

    def fit(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """Builds a model, and trains it.

        Args:
            x: array of shape [samples, ...].
            y: array of labels, of shape [samples] or [samples, outputs].
            **kwargs: arguments of `Model.fit`, which go before the parameters.

        Returns:
            History.
        """
        builder = self._builder()
        self.model: Model = builder(**self.filter_sk_params(builder))
        loss = self.model.loss
        named = getattr(loss, "__name__", loss)
        if named == categorical_crossentropy.__name__ and np.ndim(y) != 2:
            y = to_categorical(y)
        return self.model.fit(x, y, **{**self.filter_sk_params(Sequential.fit), **kwargs})


class KerasClassifier(_Estimator):
    """A model as a classifier of scikit-learn.

    Args:
        build_fn: callable that returns a compiled model; None if a subclass defines `__call__`.
        **sk_params: arguments of `build_fn`, and of the methods `fit`, `predict` and `evaluate` of the model.

    Attributes:
        model: Model, after `fit`.
        classes_: numpy.ndarray of shape [classes], the classes that `fit` found.

    Raises:
        ValueError: if no callable has a parameter of that name.
    """

    _estimator_type = "classifier"

    def fit(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """Builds a model, and trains it.

        Args:
            x: array of shape [samples, ...].
            y: array of classes, of shape [samples], or of one-hot rows, of shape [samples, classes].
            **kwargs: arguments of `Model.fit`, which go before the parameters.

        Returns:
            History.

        Raises:
            ValueError: if `y` has another shape.
        """
        labels = np.array(y)
        if labels.ndim == 2 and labels.shape[1] > 1:
            self.classes_ = np.arange(labels.shape[1])
        elif labels.ndim == 1 or (labels.ndim == 2 and labels.shape[1] == 1):
            self.classes_ = np.unique(labels)
            labels = np.searchsorted(self.classes_, labels)
        else:
            raise ValueError(f"Invalid shape for y: {labels.shape}")
        self.n_classes_ = len(self.classes_)
        return super().fit(x, labels, **kwargs)

    def predict(self, x: Any, **kwargs: Any) -> Any:
        """Returns the classes of samples.

        Args:
            x: array of shape [samples, ...].
            **kwargs: arguments of `Sequential.predict_classes`.

        Returns:
            numpy.ndarray of the dtype of `classes_`, of shape [samples], or [samples, 1] for a model with one output.
        """
        rows = self.model.predict(x, **self.filter_sk_params(Sequential.predict_classes, kwargs))
        found = rows.argmax(axis=-1) if rows.shape[-1] > 1 else (rows > 0.5).astype("int32")
        return self.classes_[found]

    def predict_proba(self, x: Any, **kwargs: Any) -> Any:
        """Returns the probabilities of the classes of samples.

        Args:
            x: array of shape [samples, ...].
            **kwargs: arguments of `Model.predict`.

        Returns:
            numpy.ndarray of floats, of shape [samples, classes].
        """
        rows = self.model.predict(x, **self.filter_sk_params(Sequential.predict_classes, kwargs))
        return np.hstack([1 - rows, rows]) if rows.shape[1] == 1 else rows

    def score(self, x: Any, y: Any, **kwargs: Any) -> float:
        """Returns the part of samples that are classified correctly.

        Args:
            x: array of shape [samples, ...].
            y: array of classes, of shape [samples], or of one-hot rows.
            **kwargs: arguments of `Model.evaluate`.

        Returns:
            float.

        Raises:
            ValueError: if the model has no metric "accuracy".
        """
        labels = np.searchsorted(self.classes_, y)
        if getattr(self.model.loss, "__name__", self.model.loss) == categorical_crossentropy.__name__:
            labels = to_categorical(labels) if np.ndim(labels) != 2 else labels
        values = self.model.evaluate(x, labels, **self.filter_sk_params(Sequential.evaluate, kwargs))
        for name, value in zip(self.model.metrics_names, np.atleast_1d(values), strict=False):
            if name in ("accuracy", "acc"):
                return float(value)
        raise ValueError(
            'The model is not configured to compute accuracy. You should pass `metrics=["accuracy"]` to the '
            "`model.compile()` method."
        )


class KerasRegressor(_Estimator):
    """A model as a regressor of scikit-learn.

    Args:
        build_fn: callable that returns a compiled model; None if a subclass defines `__call__`.
        **sk_params: arguments of `build_fn`, and of the methods `fit`, `predict` and `evaluate` of the model.

    Attributes:
        model: Model, after `fit`.

    Raises:
        ValueError: if no callable has a parameter of that name.
    """

    _estimator_type = "regressor"

    def predict(self, x: Any, **kwargs: Any) -> Any:
        """Returns the predictions of samples.

        Args:
            x: array of shape [samples, ...].
            **kwargs: arguments of `Model.predict`.

        Returns:
            numpy.ndarray of floats, of shape [samples] or [samples, outputs].
        """
        return np.squeeze(self.model.predict(x, **self.filter_sk_params(Sequential.predict, kwargs)), axis=None)

    def score(self, x: Any, y: Any, **kwargs: Any) -> float:
        """Returns the negated loss of samples, so that more is better.

        Args:
            x: array of shape [samples, ...].
            y: array of floats, of shape [samples] or [samples, outputs].
            **kwargs: arguments of `Model.evaluate`.

        Returns:
            float.
        """
        loss = self.model.evaluate(x, y, **self.filter_sk_params(Sequential.evaluate, kwargs))
        return -float(loss[0] if isinstance(loss, list) else loss)
