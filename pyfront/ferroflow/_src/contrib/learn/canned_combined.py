"""Linear models of `tf.contrib.learn` that a network joins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.base.typing import DictLike, ListLike
from ferroflow._src.contrib.learn.canned import Classifier, Regressor
from ferroflow._src.contrib.learn.estimator import Estimator
from ferroflow._src.contrib.learn.heads import multi_class_head, regression_head
from ferroflow._src.contrib.learn.model_parts import combined_model_fn
from ferroflow._src.estimator.run_config import RunConfig
from ferroflow._src.ops.nn.activation import relu
from ferroflow._src.variables.partitioners import min_max_variable_partitioner


def _slices(config: Any, size: int | None) -> Any:
    """Returns a partitioner for slices of at least a size in bytes, or None for the usual one."""
    if size is None:
        return None
    return min_max_variable_partitioner(config.num_ps_replicas if config else 0, min_slice_size=size)


def _columns_of_both(linear: Any, network: Any, hidden_units: Any) -> tuple[list[Any], list[Any]]:
    """Returns the columns of both parts as lists; raises a ValueError if they are not sufficient."""
    linear_columns, network_columns = list(linear or ()), list(network or ())
    if not linear_columns and not network_columns:
        raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")
    if network_columns and not hidden_units:
        raise ValueError("dnn_hidden_units must be defined when dnn_feature_columns is specified.")
    return linear_columns, network_columns


class DNNLinearCombinedClassifier(Classifier):
    """A linear model and a network that classify together.

    Args:
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        n_classes: int, the number of classes; labels are 0 to `n_classes` - 1.
        weight_column_name: str, the key of the examples' weights, or None.
        linear_feature_columns: list of feature columns of the linear model.
        linear_optimizer: tf.train.Optimizer of the linear model, a function that returns one, or a name.
        _joint_linear_weights: bool. If True, all columns of the linear model share one variable.
        dnn_feature_columns: list of feature columns of the network.
        dnn_optimizer: tf.train.Optimizer of the network, a function that returns one, or a name.
        dnn_hidden_units: list of int, the sizes of the hidden layers.
        dnn_activation_fn: callable of a Tensor, of hidden layers; None for `tf.nn.relu`.
        dnn_dropout: float, the share of elements that are dropped in training, or None.
        gradient_clip_norm: float, the greatest norm of the gradients; None for no bound.
        enable_centered_bias: bool. If True, a bias is trained apart from the model, which learns the rest.
        config: RunConfig; None for the usual one.
        feature_engineering_fn: function of features and labels that returns the model's.
        embedding_lr_multipliers: dict from embedding columns to the factors of their gradients, or None.
        input_layer_min_slice_size: int, the size in bytes that slices of the input layer reach, or None.
        label_keys: list of str, the names of more than two classes; labels are then names.
        fix_global_step_increment_bug: bool. If False, a step of both parts counts twice, as in TensorFlow.

    Raises:
        ValueError: if there are no columns or sizes, `n_classes` is less than 2, or `label_keys` does not fit it.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Sequence[Any] | None = None,
        dnn_activation_fn: Callable[..., Any] | None = relu,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        embedding_lr_multipliers: DictLike | None = None,
        input_layer_min_slice_size: int | None = None,
        label_keys: ListLike | None = None,
        fix_global_step_increment_bug: bool = False,
    ) -> None:
        head = multi_class_head(
            n_classes,
            weight_column_name=weight_column_name,
            enable_centered_bias=enable_centered_bias,
            label_keys=label_keys,
        )
        linear_columns, network_columns = _columns_of_both(
            linear_feature_columns, dnn_feature_columns, dnn_hidden_units
        )
        params = {
            "head": head,
            "linear_feature_columns": linear_columns,
            "linear_optimizer": linear_optimizer,
            "joint_linear_weights": _joint_linear_weights,
            "dnn_feature_columns": network_columns,
            "dnn_optimizer": dnn_optimizer,
            "dnn_hidden_units": dnn_hidden_units,
            "dnn_activation_fn": dnn_activation_fn,
            "dnn_dropout": dnn_dropout,
            "gradient_clip_norm": gradient_clip_norm,
            "embedding_lr_multipliers": embedding_lr_multipliers,
            "fix_global_step_increment_bug": fix_global_step_increment_bug,
            "input_layer_partitioner": _slices(config, input_layer_min_slice_size),
        }
        super().__init__(combined_model_fn, model_dir, config, params, feature_engineering_fn)


class DNNLinearCombinedRegressor(Regressor):
    """A linear model and a network that regress together.

    Args:
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        weight_column_name: str, the key of the examples' weights, or None.
        linear_feature_columns: list of feature columns of the linear model.
        linear_optimizer: tf.train.Optimizer of the linear model, a function that returns one, or a name.
        _joint_linear_weights: bool. If True, all columns of the linear model share one variable.
        dnn_feature_columns: list of feature columns of the network.
        dnn_optimizer: tf.train.Optimizer of the network, a function that returns one, or a name.
        dnn_hidden_units: list of int, the sizes of the hidden layers.
        dnn_activation_fn: callable of a Tensor, of hidden layers; None for `tf.nn.relu`.
        dnn_dropout: float, the share of elements that are dropped in training, or None.
        gradient_clip_norm: float, the greatest norm of the gradients; None for no bound.
        enable_centered_bias: bool. If True, a bias is trained apart from the model, which learns the rest.
        label_dimension: int, how many numbers a label has.
        config: RunConfig; None for the usual one.
        feature_engineering_fn: function of features and labels that returns the model's.
        embedding_lr_multipliers: dict from embedding columns to the factors of their gradients, or None.
        input_layer_min_slice_size: int, the size in bytes that slices of the input layer reach, or None.
        fix_global_step_increment_bug: bool. If False, a step of both parts counts twice, as in TensorFlow.

    Raises:
        ValueError: if there are no columns, or the network has no sizes.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Sequence[Any] | None = None,
        dnn_activation_fn: Callable[..., Any] | None = relu,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        label_dimension: int = 1,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        embedding_lr_multipliers: DictLike | None = None,
        input_layer_min_slice_size: int | None = None,
        fix_global_step_increment_bug: bool = False,
    ) -> None:
        head = regression_head(
            weight_column_name=weight_column_name,
            label_dimension=label_dimension,
            enable_centered_bias=enable_centered_bias,
        )
        linear_columns, network_columns = _columns_of_both(
            linear_feature_columns, dnn_feature_columns, dnn_hidden_units
        )
        params = {
            "head": head,
            "linear_feature_columns": linear_columns,
            "linear_optimizer": linear_optimizer,
            "joint_linear_weights": _joint_linear_weights,
            "dnn_feature_columns": network_columns,
            "dnn_optimizer": dnn_optimizer,
            "dnn_hidden_units": dnn_hidden_units,
            "dnn_activation_fn": dnn_activation_fn,
            "dnn_dropout": dnn_dropout,
            "gradient_clip_norm": gradient_clip_norm,
            "embedding_lr_multipliers": embedding_lr_multipliers,
            "fix_global_step_increment_bug": fix_global_step_increment_bug,
            "input_layer_partitioner": _slices(config, input_layer_min_slice_size),
        }
        super().__init__(combined_model_fn, model_dir, config, params, feature_engineering_fn)


class DNNLinearCombinedEstimator(Estimator):
    """A linear model and a network that end in one given head.

    Args:
        head: Head.
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        linear_feature_columns: list of feature columns of the linear model.
        linear_optimizer: tf.train.Optimizer of the linear model, a function that returns one, or a name.
        _joint_linear_weights: bool. If True, all columns of the linear model share one variable.
        dnn_feature_columns: list of feature columns of the network.
        dnn_optimizer: tf.train.Optimizer of the network, a function that returns one, or a name.
        dnn_hidden_units: list of int, the sizes of the hidden layers.
        dnn_activation_fn: callable of a Tensor, of hidden layers; None for `tf.nn.relu`.
        dnn_dropout: float, the share of elements that are dropped in training, or None.
        gradient_clip_norm: float, the greatest norm of the gradients; None for no bound.
        config: RunConfig; None for the usual one.
        feature_engineering_fn: function of features and labels that returns the model's.
        embedding_lr_multipliers: dict from embedding columns to the factors of their gradients, or None.
        fix_global_step_increment_bug: bool. If False, a step of both parts counts twice, as in TensorFlow.
        input_layer_partitioner: function that cuts the variables of the input layer, or None.

    Raises:
        ValueError: if there are no columns, or the network has no sizes.
    """

    def __init__(
        self,
        head: Any,
        model_dir: str | None = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Sequence[Any] | None = None,
        dnn_activation_fn: Callable[..., Any] | None = None,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        embedding_lr_multipliers: DictLike | None = None,
        fix_global_step_increment_bug: bool = False,
        input_layer_partitioner: Any = None,
    ) -> None:
        linear_columns, network_columns = _columns_of_both(
            linear_feature_columns, dnn_feature_columns, dnn_hidden_units
        )
        params = {
            "head": head,
            "linear_feature_columns": linear_columns,
            "linear_optimizer": linear_optimizer,
            "joint_linear_weights": _joint_linear_weights,
            "dnn_feature_columns": network_columns,
            "dnn_optimizer": dnn_optimizer,
            "dnn_hidden_units": dnn_hidden_units,
            "dnn_activation_fn": dnn_activation_fn,
            "dnn_dropout": dnn_dropout,
            "gradient_clip_norm": gradient_clip_norm,
            "embedding_lr_multipliers": embedding_lr_multipliers,
            "fix_global_step_increment_bug": fix_global_step_increment_bug,
            "input_layer_partitioner": input_layer_partitioner,
        }
        super().__init__(combined_model_fn, model_dir, config, params, feature_engineering_fn)
