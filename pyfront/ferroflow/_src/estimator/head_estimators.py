"""Estimators of networks, linear models and both together, with a head that is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ferroflow._src.base.typing import Activation, ListLike, Partitioner
from ferroflow._src.estimator.baseline import baseline_model
from ferroflow._src.estimator.estimator import Estimator
from ferroflow._src.estimator.network_models import (
    Network,
    combined_model,
    combined_network,
    linear_model_of,
    network_model,
)
from ferroflow._src.estimator.run_config import RunConfig
from ferroflow._src.estimator.warm_starting import WarmStartSettings
from ferroflow._src.ops.nn.activation import relu


class DNNEstimator(Estimator):
    """A network over feature columns, with a head of any kind.

    Args:
        head: Head, such as that of `tf.contrib.estimator.multi_label_head`.
        hidden_units: list of int, the widths of the hidden layers.
        feature_columns: iterable of dense feature columns.
        model_dir: as `Estimator`.
        optimizer: as `DNNClassifier`.
        activation_fn: callable, the activation of the hidden layers.
        dropout: float, the fraction of the units that is dropped in training, or None.
        input_layer_partitioner: callable, partitioner of the input layer's variables, or None.
        config: RunConfig.
        warm_start_from: as `Estimator`.
        batch_norm: bool. If True, the hidden layers' outputs are normalized over the batch.

    Raises:
        ValueError: on the same conditions as `Estimator`.

    Example:
        >>> head = tf.contrib.estimator.regression_head()
        >>> columns = [tf.feature_column.numeric_column("x")]
        >>> estimator = tf.estimator.DNNEstimator(head, [4], columns, model_dir="model")
        >>> input_fn = lambda: ({"x": tf.constant([[1.0], [2.0]])}, tf.constant([[2.0], [4.0]]))
        >>> print(sorted(estimator.train(input_fn, steps=1).evaluate(input_fn, steps=1)))
        ['average_loss', 'global_step', 'label/mean', 'loss', 'prediction/mean']
    """

    def __init__(
        self,
        head: Any,
        hidden_units: ListLike,
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        optimizer: object = "Adagrad",
        activation_fn: Activation = relu,
        dropout: float | None = None,
        input_layer_partitioner: Partitioner | None = None,
        config: RunConfig | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
        batch_norm: bool = False,
    ) -> None:
        network = Network(feature_columns, hidden_units, activation_fn, dropout, input_layer_partitioner, batch_norm)
        super().__init__(network_model(head, network, optimizer), model_dir, config, warm_start_from=warm_start_from)


class LinearEstimator(Estimator):
    """A linear model over feature columns, with a head of any kind.

    Args:
        head: as `DNNEstimator`.
        feature_columns: iterable of feature columns.
        model_dir: as `Estimator`.
        optimizer: as `DNNClassifier`.
        config: RunConfig.
        partitioner: callable, partitioner of the variables, or None.
        sparse_combiner: "sum", "mean" or "sqrtn": how the weights of several values of a feature are combined.

    Raises:
        ValueError: on the same conditions as `Estimator`.
    """

    def __init__(
        self,
        head: Any,
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        optimizer: object = "Ftrl",
        config: RunConfig | None = None,
        partitioner: Partitioner | None = None,
        sparse_combiner: str = "sum",
    ) -> None:
        model_fn = linear_model_of(head, feature_columns, optimizer, partitioner, sparse_combiner)
        super().__init__(model_fn, model_dir, config)


class DNNLinearCombinedEstimator(Estimator):
    """A network and a linear model whose logits add up, with a head of any kind.

    Args:
        head: as `DNNEstimator`.
        model_dir: as `Estimator`.
        linear_feature_columns: as `DNNLinearCombinedClassifier`.
        linear_optimizer: as `DNNLinearCombinedClassifier`.
        dnn_feature_columns: as `DNNLinearCombinedClassifier`.
        dnn_optimizer: as `DNNLinearCombinedClassifier`.
        dnn_hidden_units: as `DNNLinearCombinedClassifier`.
        dnn_activation_fn: as `DNNLinearCombinedClassifier`.
        dnn_dropout: as `DNNLinearCombinedClassifier`.
        input_layer_partitioner: as `DNNEstimator`.
        config: RunConfig.
        linear_sparse_combiner: as `LinearEstimator`.

    Raises:
        ValueError: if there are no columns, or no widths for a network; also on the same conditions as `Estimator`.
    """

    def __init__(
        self,
        head: Any,
        model_dir: Any = None,
        linear_feature_columns: Iterable[Any] | None = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Iterable[Any] | None = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: ListLike | None = None,
        dnn_activation_fn: Callable[..., Any] = relu,
        dnn_dropout: float | None = None,
        input_layer_partitioner: Partitioner | None = None,
        config: Any = None,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        network = combined_network(
            linear_feature_columns,
            dnn_feature_columns,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            input_layer_partitioner,
            False,
        )
        model_fn = combined_model(
            head,
            linear_feature_columns,
            linear_optimizer,
            network,
            dnn_optimizer,
            input_layer_partitioner,
            linear_sparse_combiner,
        )
        super().__init__(model_fn, model_dir, config)


class BaselineEstimator(Estimator):
    """A model that ignores the features, with a head of any kind.

    Args:
        head: as `DNNEstimator`.
        model_dir: as `Estimator`.
        optimizer: as `BaselineClassifier`.
        config: RunConfig.

    Raises:
        ValueError: on the same conditions as `Estimator`.
    """

    def __init__(self, head: Any, model_dir: Any = None, optimizer: Any = "Ftrl", config: Any = None) -> None:
        super().__init__(baseline_model(head, optimizer, None), model_dir, config)
