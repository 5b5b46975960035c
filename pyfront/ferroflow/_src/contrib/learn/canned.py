"""Linear models and networks of `tf.contrib.learn`, which classify and regress by feature columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ferroflow._src.base.typing import DictLike
from ferroflow._src.contrib.layers.column_models import parse_feature_columns_from_examples
from ferroflow._src.contrib.layers.feature_columns import infer_real_valued_columns
from ferroflow._src.contrib.learn.array_inputs import input_fns_of
from ferroflow._src.contrib.learn.bundle_exports import (
    classification_signature_fn_with_prob,
    regression_signature_fn,
)
from ferroflow._src.contrib.learn.estimator import Estimator
from ferroflow._src.contrib.learn.metric_spec import MetricSpec
from ferroflow._src.contrib.learn.model_ops import PredictionKey
from ferroflow._src.framework.graph import Graph

__all__ = [
    "Classifier",
    "Regressor",
    "columns_of",
    "infer_real_valued_columns_from_input",
    "infer_real_valued_columns_from_input_fn",
]


def infer_real_valued_columns_from_input_fn(input_fn: Callable[..., Any]) -> list[Any]:
    """Returns a column of numbers for each of the features that an input function returns.

    Args:
        input_fn: callable of no arguments that returns features and labels.

    Returns:
        list of columns of `tf.feature_column`.
    """
    with Graph().as_default():
        features, _ = input_fn()
        return infer_real_valued_columns(features)


def infer_real_valued_columns_from_input(x: Any) -> list[Any]:
    """Returns a column of numbers for an array, of the key "", or for each of a dict of arrays.

    Args:
        x: array, or dict of arrays, of one length.

    Returns:
        list of columns of `tf.feature_column`.
    """
    input_fn, _ = input_fns_of(x, None, None, None, None)
    return infer_real_valued_columns_from_input_fn(input_fn)


def only(model: Estimator, key: str, x: Any, input_fn: Any, batch_size: int | None, as_iterable: bool) -> Any:
    """Returns the predictions of one key."""
    found = Estimator.predict(model, x, input_fn, batch_size, [key], as_iterable)
    return (one[key] for one in found) if as_iterable else found[key]


def columns_of(feature_columns: Any) -> list[Any]:
    """Returns the feature columns as a list; raises a ValueError if there are none."""
    columns = list(feature_columns or ())
    if not columns:
        raise ValueError("feature_columns must be given and have at least one column.")
    return columns


def _columns_of_examples(estimator: Estimator, examples: Any) -> Any:
    """Returns the features of a model's columns, parsed from serialized examples."""
    params = dict(estimator.params or {})
    keys = ("feature_columns", "linear_feature_columns", "dnn_feature_columns")
    return parse_feature_columns_from_examples(examples, [column for key in keys for column in params.get(key) or ()])


class Classifier(Estimator):
    """An estimator that predicts classes."""

    def predict(
        self,
        x: Any = None,
        input_fn: Callable[..., Any] | None = None,
        batch_size: int | None = None,
        outputs: Any = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        """Predicts the class of each example, or the outputs that `outputs` names.

        Args:
            x: array, or dict of arrays; None where `input_fn` is given.
            input_fn: function of no arguments that returns features.
            batch_size: int; None for all of `x` at once.
            outputs: list of str, of `PredictionKey`; None for the classes alone.
            as_iterable: bool. If True, an iterator is returned, and otherwise arrays.
            iterate_batches: bool. If True, the iterator gives batches.

        Returns:
            iterator of int64, or of dicts if `outputs` is given; or an array, or a dict of arrays.

        Raises:
            NotFittedError: if there is no checkpoint.
        """
        if outputs:
            return super().predict(x, input_fn, batch_size, outputs, as_iterable, iterate_batches)
        return self.predict_classes(x, input_fn, batch_size, as_iterable)

    def predict_classes(
        self, x: Any = None, input_fn: Any = None, batch_size: int | None = None, as_iterable: bool = True
    ) -> Any:
        """Predicts the class of each example.

        Args:
            x: array, or dict of arrays; None where `input_fn` is given.
            input_fn: callable of no arguments that returns features.
            batch_size: int; None for all of `x` at once.
            as_iterable: bool. If True, an iterator is returned, and otherwise an array.

        Returns:
            iterator of int64, or an array.
        """
        return only(self, PredictionKey.CLASSES, x, input_fn, batch_size, as_iterable)

    def predict_proba(
        self, x: Any = None, input_fn: Any = None, batch_size: int | None = None, as_iterable: bool = True
    ) -> Any:
        """Predicts the probabilities of the classes.

        Args:
            x: array, or dict of arrays; None where `input_fn` is given.
            input_fn: callable of no arguments that returns features.
            batch_size: int; None for all of `x` at once.
            as_iterable: bool. If True, an iterator is returned, and otherwise an array.

        Returns:
            iterator of arrays of shape [n_classes], or an array.
        """
        return only(self, PredictionKey.PROBABILITIES, x, input_fn, batch_size, as_iterable)

    def export(  # type: ignore[override]  # TensorFlow's arguments
        self,
        export_dir: str,
        input_fn: Callable[..., Any] | None = None,
        input_feature_key: str | None = None,
        use_deprecated_input_fn: bool = True,
        signature_fn: Callable[..., Any] | None = None,
        default_batch_size: int = 1,
        exports_to_keep: int | None = None,
    ) -> bytes:
        """Writes the model as a session bundle with the signature of a classification, as `BaseEstimator.export` does.

        Args:
            export_dir: str, the folder in which one named by the global step is made.
            input_fn: as of `BaseEstimator.export`; None to parse the feature columns from examples.
            input_feature_key: str, the key of the serialized examples among the features, or None.
            use_deprecated_input_fn: bool. If False, `input_fn` takes no arguments and returns features and labels.
            signature_fn: function of examples, features and probabilities that returns a Signature message and a dict
                of named ones; None for that of a classification.
            default_batch_size: int, the number of examples.
            exports_to_keep: int, the number of exports that are kept; None for all.

        Returns:
            bytes, the path of the new folder.

        Raises:
            ValueError: if there are neither features nor examples.
            KeyError: if the features lack `input_feature_key`.
            RuntimeError: if the global step was exported before.
        """
        return super().export(
            export_dir,
            input_fn or _columns_of_examples,
            input_feature_key,
            use_deprecated_input_fn,
            signature_fn or classification_signature_fn_with_prob,
            PredictionKey.PROBABILITIES,
            default_batch_size,
            exports_to_keep,
        )


class Regressor(Estimator):
    """An estimator that predicts numbers."""

    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Callable[..., Any] | None = None,
        feed_fn: Callable[[], Any] | None = None,
        batch_size: int | None = None,
        steps: int | None = None,
        metrics: DictLike | None = None,
        name: str | None = None,
        checkpoint_path: str | None = None,
        hooks: Any = None,
        log_progress: bool = True,
    ) -> dict[str, Any]:
        """Evaluates the model's metrics, and the given ones, which compare scores if they are only named.

        Args:
            x: array, or dict of arrays, of one length; None where `input_fn` is given.
            y: array, or dict of arrays, of the length of `x`.
            input_fn: function of no arguments that returns features and labels.
            feed_fn: function of no arguments that returns a dict of values to feed at each step.
            batch_size: int; None for all of `x` at once.
            steps: int, the number of batches; None for all that there are.
            metrics: dict from names to MetricSpec or to functions of predictions and labels, or None.
            name: str, added to the name of the summaries' folder.
            checkpoint_path: str, prefix of the checkpoint; None for the latest.
            hooks: list of SessionRunHook.
            log_progress: bool, accepted and not used.

        Returns:
            dict of the metrics by name, with "loss" and "global_step".

        Raises:
            NotFittedError: if there is no checkpoint.
            ValueError: if `metrics` is no dict, or both or neither of `x` and `input_fn` are given.
        """
        if isinstance(metrics, Mapping):
            metrics = {
                key if isinstance(metric, MetricSpec) or isinstance(key, tuple) else (key, PredictionKey.SCORES): metric
                for key, metric in metrics.items()
            }
        return super().evaluate(
            x, y, input_fn, feed_fn, batch_size, steps, metrics, name, checkpoint_path, hooks, log_progress
        )

    def predict(
        self,
        x: Any = None,
        input_fn: Callable[..., Any] | None = None,
        batch_size: int | None = None,
        outputs: Any = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        """Predicts the score of each example, or the outputs that `outputs` names.

        Args:
            x: array, or dict of arrays; None where `input_fn` is given.
            input_fn: function of no arguments that returns features.
            batch_size: int; None for all of `x` at once.
            outputs: list of str, of `PredictionKey`; None for the scores alone.
            as_iterable: bool. If True, an iterator is returned, and otherwise arrays.
            iterate_batches: bool. If True, the iterator gives batches.

        Returns:
            iterator of float32, or of dicts if `outputs` is given; or an array, or a dict of arrays.

        Raises:
            NotFittedError: if there is no checkpoint.
        """
        if outputs:
            return super().predict(x, input_fn, batch_size, outputs, as_iterable, iterate_batches)
        return self.predict_scores(x, input_fn, batch_size, as_iterable)

    def predict_scores(
        self, x: Any = None, input_fn: Any = None, batch_size: int | None = None, as_iterable: bool = True
    ) -> Any:
        """Predicts the score of each example.

        Args:
            x: array, or dict of arrays; None where `input_fn` is given.
            input_fn: callable of no arguments that returns features.
            batch_size: int; None for all of `x` at once.
            as_iterable: bool. If True, an iterator is returned, and otherwise an array.

        Returns:
            iterator of float32, or an array.
        """
        return only(self, PredictionKey.SCORES, x, input_fn, batch_size, as_iterable)

    def export(  # type: ignore[override]  # TensorFlow's arguments
        self,
        export_dir: str,
        input_fn: Callable[..., Any] | None = None,
        input_feature_key: str | None = None,
        use_deprecated_input_fn: bool = True,
        signature_fn: Callable[..., Any] | None = None,
        default_batch_size: int = 1,
        exports_to_keep: int | None = None,
    ) -> bytes:
        """Writes the model as a session bundle with the signature of a regression, as `BaseEstimator.export` does.

        Args:
            export_dir: str, the folder in which one named by the global step is made.
            input_fn: as of `BaseEstimator.export`; None to parse the feature columns from examples.
            input_feature_key: str, the key of the serialized examples among the features, or None.
            use_deprecated_input_fn: bool. If False, `input_fn` takes no arguments and returns features and labels.
            signature_fn: function of examples, features and scores that returns a Signature message and a dict of
                named ones; None for that of a regression.
            default_batch_size: int, the number of examples.
            exports_to_keep: int, the number of exports that are kept; None for all.

        Returns:
            bytes, the path of the new folder.

        Raises:
            ValueError: if there are neither features nor examples.
            KeyError: if the features lack `input_feature_key`.
            RuntimeError: if the global step was exported before.
        """
        return super().export(
            export_dir,
            input_fn or _columns_of_examples,
            input_feature_key,
            use_deprecated_input_fn,
            signature_fn or regression_signature_fn,
            PredictionKey.SCORES,
            default_batch_size,
            exports_to_keep,
        )
