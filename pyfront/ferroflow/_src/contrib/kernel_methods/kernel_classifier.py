"""`KernelLinearClassifier`: a linear model of mapped features, which approximates one with a kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ferroflow._src.base import tf_logging
from ferroflow._src.contrib.kernel_methods.mappers import DenseKernelMapper
from ferroflow._src.contrib.layers.feature_columns import real_valued_column
from ferroflow._src.contrib.layers.number_columns import _RealValuedColumn
from ferroflow._src.contrib.learn.canned import only
from ferroflow._src.contrib.learn.canned_linear import LinearClassifier
from ferroflow._src.contrib.learn.estimator import BaseEstimator
from ferroflow._src.contrib.learn.model_ops import PredictionKey
from ferroflow._src.estimator.run_config import RunConfig
from ferroflow._src.ops.array.joining import concat

_KernelMappers = Mapping[Any, list[DenseKernelMapper]]


def _mapped_name(column: Any) -> str:
    return f"{column.name}_MAPPED"


def _mappable(mappers: _KernelMappers) -> dict[Any, list[DenseKernelMapper]]:
    found = {}
    for column, of_column in mappers.items():
        if isinstance(column, _RealValuedColumn):
            found[column] = list(of_column)
        else:
            tf_logging.warn(
                "Kernel mappers apply to columns of real_valued_column only; feature column %s is not mapped.",
                column.name,
            )
    return found


class KernelLinearClassifier(LinearClassifier):
    """A linear model that classifies by features and by mapped features.

    Args:
        feature_columns: list of feature columns of `tf.contrib.layers`.
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        n_classes: int, the number of classes; labels are 0 to `n_classes` - 1.
        weight_column_name: str, the key of the examples' weights, or None.
        optimizer: tf.train.Optimizer; None for FTRL.
        kernel_mappers: dict from columns of `tf.contrib.layers.real_valued_column` to lists of mappers, whose outputs
            are further features.
        config: RunConfig; None for the usual one.

    Raises:
        ValueError: if there are neither columns nor mappers, or a mapper is something else, or `n_classes` is less
            than 2.
    """

    def __init__(
        self,
        feature_columns: Any = None,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        kernel_mappers: _KernelMappers | None = None,
        config: RunConfig | None = None,
    ) -> None:
        if not feature_columns and not kernel_mappers:
            raise ValueError("You should set at least one of feature_columns, kernel_mappers.")
        given = kernel_mappers or {}
        if not all(isinstance(mapper, DenseKernelMapper) for mappers in given.values() for mapper in mappers):
            raise ValueError("Invalid kernel mappers.")
        mappers = _mappable(given)
        columns = list(feature_columns or ())
        for column, of_column in mappers.items():
            size = sum(mapper.output_dim for mapper in of_column)
            columns.append(real_valued_column(_mapped_name(column), size))
        super().__init__(
            columns,
            model_dir=model_dir,
            n_classes=n_classes,
            weight_column_name=weight_column_name,
            optimizer=optimizer,
            config=config,
            feature_engineering_fn=_with_mapped(mappers) if mappers else None,
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
        """Predicts the outputs that `outputs` names, by default all.

        Args:
            x: array, or dict of arrays; None where `input_fn` is given.
            input_fn: function of no arguments that returns features.
            batch_size: int; None for all of `x` at once.
            outputs: list of str, of `PredictionKey`; None for all.
            as_iterable: bool. If True, an iterator is returned, and otherwise arrays.
            iterate_batches: bool. If True, the iterator gives batches.

        Returns:
            Iterator of dicts, or a dict of arrays.

        Raises:
            NotFittedError: if there is no checkpoint.
        """
        return BaseEstimator.predict(self, x, input_fn, batch_size, outputs, as_iterable, iterate_batches)

    def predict_classes(self, input_fn: Callable[..., Any] | None = None) -> Any:  # type: ignore[override]  # as in TF 1.x
        """Predicts the class of each example.

        Args:
            input_fn: function of no arguments that returns features.

        Returns:
            Iterator of int64.
        """
        return only(self, PredictionKey.CLASSES, None, input_fn, None, True)

    def predict_proba(self, input_fn: Callable[..., Any] | None = None) -> Any:  # type: ignore[override]  # as in TF 1.x
        """Predicts the probabilities of the classes for each example.

        Args:
            input_fn: function of no arguments that returns features.

        Returns:
            Iterator of float32 arrays of shape [classes].
        """
        return only(self, PredictionKey.PROBABILITIES, None, input_fn, None, True)


def _with_mapped(mappers: Mapping[Any, list[DenseKernelMapper]]) -> Callable[..., tuple[Any, Any]]:
    def engineer(features: Any, labels: Any) -> tuple[Any, Any]:
        found = dict(features)
        for column, of_column in mappers.items():
            outputs = [mapper.map(features[column.name]) for mapper in of_column]
            found[_mapped_name(column)] = concat(outputs, 1)
        return found, labels

    return engineer
