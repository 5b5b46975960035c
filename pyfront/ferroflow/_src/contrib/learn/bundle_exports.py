"""Exports of estimators of `tf.contrib.learn` as session bundles, and the functions that make their signatures."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.checkpoint.saver import Saver
from ferroflow._src.checkpoint.state import latest_checkpoint
from ferroflow._src.contrib.learn.export_versions import largest
from ferroflow._src.contrib.session_bundle import exporter
from ferroflow._src.framework.default_graph import add_to_collection, get_collection
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.lookup.table import tables_initializer
from ferroflow._src.session.session import Session
from ferroflow._src.training.global_step import create_global_step
from ferroflow._src.variables.initialization import local_variables_initializer

__all__ = [
    "classification_signature_fn",
    "classification_signature_fn_with_prob",
    "export_bundle",
    "export_estimator",
    "generic_signature_fn",
    "logistic_regression_signature_fn",
    "regression_signature_fn",
]

Signatures = tuple[Any, dict[str, Any]]


def _checked(examples: Any) -> Any:
    if examples is None:
        raise ValueError("examples cannot be None when using this signature fn.")
    return examples


def _chosen(predictions: Any, key: str) -> Any:
    return predictions[key] if isinstance(predictions, Mapping) else predictions


def generic_signature_fn(examples: Any, unused_features: Any, predictions: Any) -> Signatures:
    """Returns the signature that names examples and predictions.

    Args:
        examples: Tensor of string, of shape [batch].
        unused_features: dict of Tensors, accepted and not used.
        predictions: Tensor, or dict from str to Tensor, of any dtype and shape.

    Returns:
        A pair of a Signature message and an empty dict.

    Raises:
        ValueError: if there are no examples.
    """
    named = predictions if isinstance(predictions, Mapping) else {"outputs": predictions}
    return exporter.generic_signature({"inputs": _checked(examples), **named}), {}


def classification_signature_fn(examples: Any, unused_features: Any, predictions: Any) -> Signatures:
    """Returns the signature of a classification that gives classes.

    Args:
        examples: Tensor of string, of shape [batch].
        unused_features: dict of Tensors, accepted and not used.
        predictions: Tensor of the classes, or dict with them under "classes".

    Returns:
        A pair of a Signature message and an empty dict.

    Raises:
        ValueError: if there are no examples.
    """
    classes = _chosen(predictions, "classes")
    return exporter.classification_signature(_checked(examples), classes_tensor=classes), {}


def classification_signature_fn_with_prob(examples: Any, unused_features: Any, predictions: Any) -> Signatures:
    """Returns the signature of a classification that gives probabilities.

    Args:
        examples: Tensor of string, of shape [batch].
        unused_features: dict of Tensors, accepted and not used.
        predictions: Tensor of the probabilities, or dict with them under "probabilities".

    Returns:
        A pair of a Signature message and an empty dict.

    Raises:
        ValueError: if there are no examples.
    """
    scores = _chosen(predictions, "probabilities")
    return exporter.classification_signature(_checked(examples), scores_tensor=scores), {}


def regression_signature_fn(examples: Any, unused_features: Any, predictions: Any) -> Signatures:
    """Returns the signature of a regression.

    Args:
        examples: Tensor of string, of shape [batch].
        unused_features: dict of Tensors, accepted and not used.
        predictions: Tensor of any dtype and shape.

    Returns:
        A pair of a Signature message and an empty dict.

    Raises:
        ValueError: if there are no examples.
    """
    return exporter.regression_signature(input_tensor=_checked(examples), output_tensor=predictions), {}


def logistic_regression_signature_fn(examples: Any, unused_features: Any, predictions: Any) -> Signatures:
    """Returns the signature of a regression that gives the probability of the second of two classes.

    Args:
        examples: Tensor of string, of shape [batch].
        unused_features: dict of Tensors, accepted and not used.
        predictions: Tensor of shape [batch, 2], or dict with it under "probabilities".

    Returns:
        A pair of a Signature message and an empty dict.

    Raises:
        ValueError: if there are no examples, or the probabilities have another shape.
    """
    probabilities = _chosen(predictions, "probabilities")
    if not probabilities.get_shape().is_compatible_with([None, 2]):
        raise ValueError(f"Expected predictions of shape [batch, 2], found {probabilities.get_shape()}.")
    return regression_signature_fn(_checked(examples), unused_features, probabilities[:, 1])


def export_bundle(
    estimator: Any,
    predictions_of: Callable[[Any], Any],
    export_dir: str,
    input_fn: Callable[..., Any] | None,
    input_feature_key: str | None = None,
    use_deprecated_input_fn: bool = True,
    signature_fn: Callable[..., Any] | None = None,
    prediction_key: str | None = None,
    default_batch_size: int = 1,
    exports_to_keep: int | None = None,
    checkpoint_path: str | None = None,
) -> bytes:
    """Writes the model of a checkpoint as a session bundle; `BaseEstimator.export` describes the arguments.

    `predictions_of` builds the model for features, and returns its predictions.
    """
    if input_fn is None:
        raise ValueError("input_fn must be defined.")
    path = checkpoint_path or latest_checkpoint(estimator.model_dir)
    with Graph().as_default():
        step = create_global_step()
        examples: Any = None
        if use_deprecated_input_fn:
            examples = placeholder(dtypes.string, shape=[default_batch_size], name="input_example_tensor")
            features = input_fn(estimator, examples)
        else:
            features, _ = input_fn()
            if input_feature_key is not None:
                examples = features.pop(input_feature_key)
        if not features and examples is None:
            raise ValueError("Either features or examples must be defined.")
        predictions = predictions_of(features)
        if prediction_key is not None:
            predictions = predictions[prediction_key]
        signature, named = (signature_fn or generic_signature_fn)(examples, features, predictions)
        with Session() as session:
            saver = _saver()
            saver.restore(session, path)
            export = exporter.Exporter(saver)
            export.init(
                init_op=group(local_variables_initializer(), tables_initializer()),
                default_graph_signature=signature,
                named_graph_signatures=named,
                assets_collection=get_collection(GraphKeys.ASSET_FILEPATHS),
            )
            kept = None if exports_to_keep is None else functools.partial(largest, n=exports_to_keep)
            made: bytes = export.export(export_dir, step, session, exports_to_keep=kept)
            return made


def _saver() -> Saver:
    found = get_collection(GraphKeys.SAVERS)
    if not found:
        found = [Saver()]
        add_to_collection(GraphKeys.SAVERS, found[0])
    saver: Saver = found[0]
    return saver


def export_estimator(
    estimator: Any,
    export_dir: str,
    signature_fn: Callable[..., Any] | None = None,
    input_fn: Callable[..., Any] | None = None,
    default_batch_size: int = 1,
    exports_to_keep: int | None = None,
) -> None:
    """Writes the model of the latest checkpoint as a session bundle.

    Args:
        estimator: estimator of `tf.contrib.learn`.
        export_dir: str, the folder in which one named by the global step is made.
        signature_fn: function of examples, features and predictions that returns a Signature message and a dict of
            named ones; None for one that names them all.
        input_fn: function of the estimator and of a Tensor of string, of shape [batch], that returns features; None
            to parse those of training.
        default_batch_size: int, the number of examples.
        exports_to_keep: int, the number of exports that are kept; None for all.
    """
    more = {} if input_fn is None else {"input_fn": input_fn}
    estimator.export(
        export_dir,
        signature_fn=signature_fn,
        default_batch_size=default_batch_size,
        exports_to_keep=exports_to_keep,
        **more,
    )
