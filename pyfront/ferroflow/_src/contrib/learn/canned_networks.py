"""Networks of `tf.contrib.learn` over feature columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.base.typing import DictLike, ListLike
from ferroflow._src.contrib.learn.canned import Classifier, Regressor, columns_of
from ferroflow._src.contrib.learn.estimator import Estimator
from ferroflow._src.contrib.learn.heads import multi_class_head, regression_head
from ferroflow._src.contrib.learn.model_parts import network_model_fn
from ferroflow._src.estimator.run_config import RunConfig
from ferroflow._src.ops.nn.activation import relu


class DNNClassifier(Classifier):
    """A network that classifies.

    Args:
        hidden_units: list of int, the sizes of the hidden layers.
        feature_columns: list of feature columns.
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        n_classes: int, the number of classes; labels are 0 to `n_classes` - 1.
        weight_column_name: str, the key of the examples' weights, or None.
        optimizer: tf.train.Optimizer, a function that returns one, or the name of one.
        activation_fn: str ("relu", "tanh" or "sigmoid") or function, the activation of hidden layers; or None.
        dropout: float, the share of elements that are dropped in training, or None.
        gradient_clip_norm: float, the greatest norm of the gradients; None for no bound.
        enable_centered_bias: bool. If True, a bias is trained apart from the model, which learns the rest.
        config: RunConfig; None for the usual one.
        feature_engineering_fn: function of features and labels that returns the model's.
        embedding_lr_multipliers: dict from embedding columns to the factors of their gradients, or None.
        input_layer_min_slice_size: int, the size in bytes that slices of the input layer reach, or None.
        label_keys: list of str, the names of more than two classes; labels are then names.

    Raises:
        ValueError: if there are no columns, `n_classes` is less than 2, or `label_keys` does not fit it.
    """

    def __init__(
        self,
        hidden_units: Sequence[Any],
        feature_columns: Any,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        activation_fn: Any = relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        embedding_lr_multipliers: DictLike | None = None,
        input_layer_min_slice_size: int | None = None,
        label_keys: ListLike | None = None,
    ) -> None:
        head = multi_class_head(
            n_classes,
            weight_column_name=weight_column_name,
            enable_centered_bias=enable_centered_bias,
            label_keys=label_keys,
        )
        params = {
            "head": head,
            "hidden_units": list(hidden_units),
            "feature_columns": columns_of(feature_columns),
            "optimizer": optimizer,
            "activation_fn": activation_fn,
            "dropout": dropout,
            "gradient_clip_norm": gradient_clip_norm,
            "embedding_lr_multipliers": embedding_lr_multipliers,
            "input_layer_min_slice_size": input_layer_min_slice_size,
        }
        super().__init__(network_model_fn, model_dir, config, params, feature_engineering_fn)


class DNNRegressor(Regressor):
    """A network that regresses.

    Args:
        hidden_units: list of int, the sizes of the hidden layers.
        feature_columns: list of feature columns.
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        weight_column_name: str, the key of the examples' weights, or None.
        optimizer: tf.train.Optimizer, a function that returns one, or the name of one.
        activation_fn: str ("relu", "tanh" or "sigmoid") or function, the activation of hidden layers; or None.
        dropout: float, the share of elements that are dropped in training, or None.
        gradient_clip_norm: float, the greatest norm of the gradients; None for no bound.
        enable_centered_bias: bool. If True, a bias is trained apart from the model, which learns the rest.
        config: RunConfig; None for the usual one.
        feature_engineering_fn: function of features and labels that returns the model's.
        label_dimension: int, how many numbers a label has.
        embedding_lr_multipliers: dict from embedding columns to the factors of their gradients, or None.
        input_layer_min_slice_size: int, the size in bytes that slices of the input layer reach, or None.

    Raises:
        ValueError: if there are no columns.
    """

    def __init__(
        self,
        hidden_units: Sequence[Any],
        feature_columns: Any,
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        activation_fn: Any = relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        label_dimension: int = 1,
        embedding_lr_multipliers: DictLike | None = None,
        input_layer_min_slice_size: int | None = None,
    ) -> None:
        head = regression_head(
            weight_column_name=weight_column_name,
            label_dimension=label_dimension,
            enable_centered_bias=enable_centered_bias,
        )
        params = {
            "head": head,
            "hidden_units": list(hidden_units),
            "feature_columns": columns_of(feature_columns),
            "optimizer": optimizer,
            "activation_fn": activation_fn,
            "dropout": dropout,
            "gradient_clip_norm": gradient_clip_norm,
            "embedding_lr_multipliers": embedding_lr_multipliers,
            "input_layer_min_slice_size": input_layer_min_slice_size,
        }
        super().__init__(network_model_fn, model_dir, config, params, feature_engineering_fn)


class DNNEstimator(Estimator):
    """A network that ends in a given head.

    Args:
        head: Head.
        hidden_units: list of int, the sizes of the hidden layers.
        feature_columns: list of feature columns.
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        optimizer: tf.train.Optimizer, a function that returns one, or the name of one.
        activation_fn: str ("relu", "tanh" or "sigmoid") or function, the activation of hidden layers; or None.
        dropout: float, the share of elements that are dropped in training, or None.
        gradient_clip_norm: float, the greatest norm of the gradients; None for no bound.
        config: RunConfig; None for the usual one.
        feature_engineering_fn: function of features and labels that returns the model's.
        embedding_lr_multipliers: dict from embedding columns to the factors of their gradients, or None.
        input_layer_min_slice_size: int, the size in bytes that slices of the input layer reach, or None.

    Raises:
        ValueError: if there are no columns.
    """

    def __init__(
        self,
        head: Any,
        hidden_units: Sequence[Any],
        feature_columns: Any,
        model_dir: str | None = None,
        optimizer: Any = None,
        activation_fn: Any = relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        embedding_lr_multipliers: DictLike | None = None,
        input_layer_min_slice_size: int | None = None,
    ) -> None:
        params = {
            "head": head,
            "hidden_units": list(hidden_units),
            "feature_columns": columns_of(feature_columns),
            "optimizer": optimizer,
            "activation_fn": activation_fn,
            "dropout": dropout,
            "gradient_clip_norm": gradient_clip_norm,
            "embedding_lr_multipliers": embedding_lr_multipliers,
            "input_layer_min_slice_size": input_layer_min_slice_size,
        }
        super().__init__(network_model_fn, model_dir, config, params, feature_engineering_fn)
