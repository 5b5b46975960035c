"""Estimators of networks, linear models and both together over feature columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ferroflow._src.base.typing import Activation, ListLike, Partitioner
from ferroflow._src.estimator.classification_heads import classification_head
from ferroflow._src.estimator.estimator import Estimator
from ferroflow._src.estimator.network_models import (
    Network,
    combined_model,
    combined_network,
    linear_model_of,
    network_model,
)
from ferroflow._src.estimator.regression_heads import regression_head
from ferroflow._src.estimator.run_config import RunConfig
from ferroflow._src.estimator.warm_starting import WarmStartSettings
from ferroflow._src.losses.weighting import Reduction
from ferroflow._src.ops.nn.activation import relu


class DNNClassifier(Estimator):
    """A classifier that is a network over feature columns.

    Args:
        hidden_units: list of int, the widths of the hidden layers.
        feature_columns: iterable of dense feature columns.
        model_dir: as `Estimator`.
        n_classes: int, the number of classes, whose labels are 0 to n - 1 or those of `label_vocabulary`.
        weight_column: str, the key of the feature that weighs examples, or a numeric feature column, or None.
        label_vocabulary: list of str, the labels; None if they are numbers.
        optimizer: Optimizer, the name of one ("Adagrad", "Adam", "Ftrl", "RMSProp", "SGD"), or a callable that makes
            it.
        activation_fn: callable, the activation of the hidden layers.
        dropout: float, the fraction of the units that is dropped in training, or None.
        input_layer_partitioner: callable, partitioner of the input layer's variables, or None.
        config: RunConfig.
        warm_start_from: as `Estimator`.
        loss_reduction: one of `tf.losses.Reduction`: how the losses of a batch are combined.
        batch_norm: bool. If True, the hidden layers' outputs are normalized over the batch.

    Raises:
        ValueError: if there are fewer than two classes; also on the same conditions as `Estimator`.

    Example:
        >>> columns = [tf.feature_column.numeric_column("x")]
        >>> classifier = tf.estimator.DNNClassifier([8], columns, model_dir="model", n_classes=2)
        >>> input_fn = lambda: ({"x": tf.constant([[-1.0], [1.0]])}, tf.constant([[0], [1]]))
        >>> classifier = classifier.train(input_fn, steps=100)
        >>> print(classifier.evaluate(input_fn, steps=1)["accuracy"])
        1.0
    """

    def __init__(
        self,
        hidden_units: ListLike,
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column: str | None = None,
        label_vocabulary: ListLike | None = None,
        optimizer: object = "Adagrad",
        activation_fn: Activation = relu,
        dropout: float | None = None,
        input_layer_partitioner: Partitioner | None = None,
        config: RunConfig | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
    ) -> None:
        head = classification_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        network = Network(feature_columns, hidden_units, activation_fn, dropout, input_layer_partitioner, batch_norm)
        super().__init__(network_model(head, network, optimizer), model_dir, config, warm_start_from=warm_start_from)


class DNNRegressor(Estimator):
    """A regression that is a network over feature columns.

    Args:
        hidden_units: as `DNNClassifier`.
        feature_columns: as `DNNClassifier`.
        model_dir: as `Estimator`.
        label_dimension: int, the number of numbers of a label.
        weight_column: as `DNNClassifier`.
        optimizer: as `DNNClassifier`.
        activation_fn: as `DNNClassifier`.
        dropout: as `DNNClassifier`.
        input_layer_partitioner: as `DNNClassifier`.
        config: RunConfig.
        warm_start_from: as `Estimator`.
        loss_reduction: as `DNNClassifier`.
        batch_norm: as `DNNClassifier`.

    Raises:
        ValueError: if `label_dimension` is not positive; also on the same conditions as `Estimator`.
    """

    def __init__(
        self,
        hidden_units: ListLike,
        feature_columns: object,
        model_dir: str | None = None,
        label_dimension: int = 1,
        weight_column: object = None,
        optimizer: object = "Adagrad",
        activation_fn: Activation = relu,
        dropout: float | None = None,
        input_layer_partitioner: Partitioner | None = None,
        config: RunConfig | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
    ) -> None:
        head = regression_head(label_dimension, weight_column, loss_reduction)
        network = Network(feature_columns, hidden_units, activation_fn, dropout, input_layer_partitioner, batch_norm)
        super().__init__(network_model(head, network, optimizer), model_dir, config, warm_start_from=warm_start_from)


class LinearClassifier(Estimator):
    """A classifier that is a linear model over feature columns.

    Args:
        feature_columns: iterable of feature columns.
        model_dir: as `Estimator`.
        n_classes: as `DNNClassifier`.
        weight_column: as `DNNClassifier`.
        label_vocabulary: as `DNNClassifier`.
        optimizer: as `DNNClassifier`.
        config: RunConfig.
        partitioner: callable, partitioner of the variables, or None.
        warm_start_from: as `Estimator`.
        loss_reduction: as `DNNClassifier`.
        sparse_combiner: "sum", "mean" or "sqrtn": how the weights of several values of a feature are combined.

    Raises:
        ValueError: on the same conditions as `DNNClassifier`.
    """

    def __init__(
        self,
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column: object = None,
        label_vocabulary: ListLike | None = None,
        optimizer: object = "Ftrl",
        config: RunConfig | None = None,
        partitioner: Partitioner | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
        loss_reduction: str = Reduction.SUM,
        sparse_combiner: str = "sum",
    ) -> None:
        head = classification_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        model_fn = linear_model_of(head, feature_columns, optimizer, partitioner, sparse_combiner)
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


class LinearRegressor(Estimator):
    """A regression that is a linear model over feature columns.

    Args:
        feature_columns: iterable of feature columns.
        model_dir: as `Estimator`.
        label_dimension: int, the number of numbers of a label.
        weight_column: as `DNNClassifier`.
        optimizer: as `DNNClassifier`.
        config: RunConfig.
        partitioner: callable, partitioner of the variables, or None.
        warm_start_from: as `Estimator`.
        loss_reduction: as `DNNClassifier`.
        sparse_combiner: "sum", "mean" or "sqrtn": how the weights of several values of a feature are combined.

    Raises:
        ValueError: on the same conditions as `DNNRegressor`.
    """

    def __init__(
        self,
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        label_dimension: int = 1,
        weight_column: object = None,
        optimizer: object = "Ftrl",
        config: RunConfig | None = None,
        partitioner: Partitioner | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
        loss_reduction: str = Reduction.SUM,
        sparse_combiner: str = "sum",
    ) -> None:
        head = regression_head(label_dimension, weight_column, loss_reduction)
        model_fn = linear_model_of(head, feature_columns, optimizer, partitioner, sparse_combiner)
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


class DNNLinearCombinedClassifier(Estimator):
    """A classifier that adds the logits of a network and a linear model.

    Args:
        model_dir: as `Estimator`.
        linear_feature_columns: iterable of feature columns of the linear model, or None.
        linear_optimizer: as the optimizer of `DNNClassifier`, for the linear model.
        dnn_feature_columns: iterable of dense feature columns of the network, or None.
        dnn_optimizer: as the optimizer of `DNNClassifier`, for the network.
        dnn_hidden_units: list of int, the widths of the network's hidden layers.
        dnn_activation_fn: callable, their activation.
        dnn_dropout: float, the part of their units that is left out in training, or None.
        n_classes: as `DNNClassifier`.
        weight_column: as `DNNClassifier`.
        label_vocabulary: as `DNNClassifier`.
        input_layer_partitioner: as `DNNClassifier`.
        config: RunConfig.
        warm_start_from: as `Estimator`.
        loss_reduction: as `DNNClassifier`.
        batch_norm: as `DNNClassifier`.
        linear_sparse_combiner: as the `sparse_combiner` of `LinearClassifier`.

    Raises:
        ValueError: if there are no columns, or no widths for a network; also on the same conditions as `DNNClassifier`.

    Source: Cheng et al., Wide & Deep Learning for Recommender Systems, 2016.
    """

    def __init__(
        self,
        model_dir: Any = None,
        linear_feature_columns: Iterable[Any] | None = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Iterable[Any] | None = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: ListLike | None = None,
        dnn_activation_fn: Callable[..., Any] = relu,
        dnn_dropout: float | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Any = None,
        input_layer_partitioner: Partitioner | None = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        network = combined_network(
            linear_feature_columns,
            dnn_feature_columns,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            input_layer_partitioner,
            batch_norm,
        )
        head = classification_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        model_fn = combined_model(
            head,
            linear_feature_columns,
            linear_optimizer,
            network,
            dnn_optimizer,
            input_layer_partitioner,
            linear_sparse_combiner,
        )
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


class DNNLinearCombinedRegressor(Estimator):
    """A regression that adds the predictions of a network and a linear model.

    Args:
        model_dir: as `Estimator`.
        linear_feature_columns: as `DNNLinearCombinedClassifier`.
        linear_optimizer: as `DNNLinearCombinedClassifier`.
        dnn_feature_columns: as `DNNLinearCombinedClassifier`.
        dnn_optimizer: as `DNNLinearCombinedClassifier`.
        dnn_hidden_units: as `DNNLinearCombinedClassifier`.
        dnn_activation_fn: as `DNNLinearCombinedClassifier`.
        dnn_dropout: as `DNNLinearCombinedClassifier`.
        label_dimension: int, the number of numbers of a label.
        weight_column: as `DNNClassifier`.
        input_layer_partitioner: as `DNNClassifier`.
        config: RunConfig.
        warm_start_from: as `Estimator`.
        loss_reduction: as `DNNClassifier`.
        batch_norm: as `DNNClassifier`.
        linear_sparse_combiner: as the `sparse_combiner` of `LinearClassifier`.

    Raises:
        ValueError: if there are no columns, or no widths for a network; also on the same conditions as `DNNRegressor`.
    """

    def __init__(
        self,
        model_dir: Any = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Any = None,
        dnn_activation_fn: Any = relu,
        dnn_dropout: float | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        input_layer_partitioner: Partitioner | None = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        network = combined_network(
            linear_feature_columns,
            dnn_feature_columns,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            input_layer_partitioner,
            batch_norm,
        )
        head = regression_head(label_dimension, weight_column, loss_reduction)
        model_fn = combined_model(
            head,
            linear_feature_columns,
            linear_optimizer,
            network,
            dnn_optimizer,
            input_layer_partitioner,
            linear_sparse_combiner,
        )
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)
