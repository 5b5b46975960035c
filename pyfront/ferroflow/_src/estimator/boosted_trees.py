"""The estimators of gradient boosted trees."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ferroflow._src.checkpoint.reader import load_checkpoint
from ferroflow._src.estimator.classification_heads import BinaryHeadOfLogits, MultiClassHeadOfLogits, binary_head_of
from ferroflow._src.estimator.estimator import Estimator
from ferroflow._src.estimator.regression_heads import regression_head
from ferroflow._src.estimator.run_config import RunConfig
from ferroflow._src.estimator.tree_explanations import PATH_KEY, contributions, explaining_model, importances
from ferroflow._src.estimator.tree_features import feature_names, sorted_columns
from ferroflow._src.estimator.tree_model import TreeModel, logistic_gradients
from ferroflow._src.estimator.tree_settings import TreeSettings
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.losses.weighting import Reduction
from ferroflow._src.ops.array.making import identity

_UNSET: Any = object()
_SERIALIZED = "boosted_trees:0_serialized"


def binary_head(n_classes: Any, weight_column: Any, label_vocabulary: Any) -> Any:
    """Returns the head of a classifier of two classes; raises ValueError for another number of them."""
    if n_classes is not _UNSET and n_classes != 2:
        raise ValueError(f"For now only binary classification is supported.n_classes given as {n_classes}")
    return binary_head_of(weight_column, label_vocabulary, Reduction.SUM_OVER_BATCH_SIZE)


def single_head(label_dimension: Any, weight_column: Any) -> Any:
    """Returns the head of a regression of one number; raises ValueError for another number of them."""
    if label_dimension is not _UNSET and label_dimension != 1:
        raise ValueError(f"For now only 1 dimension regression is supported.label_dimension given as {label_dimension}")
    return regression_head(1, weight_column, Reduction.SUM_OVER_BATCH_SIZE)


def closed_form_of(weight_column: Any, label_vocabulary: Any) -> Callable[[Tensor, Any], tuple[Tensor, Tensor]] | None:
    """Returns the function of the logistic loss's derivatives; None if weights or names of labels change them."""
    return logistic_gradients if weight_column is None and label_vocabulary is None else None


class TreeEstimator(Estimator):
    """Base of the estimators of boosted trees: what their features contribute.

    Args:
        model: TreeModel.
        head: Head of the model.
        feature_columns: iterable of feature columns.
        settings: TreeSettings.
        is_classification: bool. If True, predictions are probabilities.
        model_dir: as `Estimator`.
        config: RunConfig.
    """

    def __init__(
        self,
        model: TreeModel,
        head: Any,
        feature_columns: Iterable[Any],
        settings: TreeSettings,
        is_classification: bool,
        model_dir: str | None,
        config: RunConfig | None,
    ) -> None:
        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
            return model(features, labels, mode, config)

        super().__init__(model_fn, model_dir, config)
        self._sorted_feature_columns = sorted_columns(feature_columns)
        self._feature_col_names = feature_names(self._sorted_feature_columns)
        self._head = head
        self._settings = settings
        self._is_classification = is_classification

    def experimental_feature_importances(self, normalize: bool = False) -> OrderedDict[str, Any]:
        """Computes the importance of each feature column: the gains of its splits.

        Args:
            normalize: bool. If True, the importances sum to 1.

        Returns:
            OrderedDict from the names of columns to float, the most important one first.

        Raises:
            ValueError: if the model is not trained.
            AssertionError: if importances that are to be normalized contain a negative one, or are all 0.
        """
        serialized = load_checkpoint(self.model_dir).get_tensor(_SERIALIZED)
        if not serialized:
            raise ValueError(
                "Found empty serialized string for TreeEnsemble.You should only call this method after training."
            )
        return importances(bytes(serialized), self._feature_col_names, normalize)

    def experimental_predict_with_explanations(
        self,
        input_fn: Callable[..., Any],
        predict_keys: Iterable[str] | None = None,
        hooks: Iterable[Any] | None = None,
        checkpoint_path: str | None = None,
    ) -> Iterator[dict[str, Any]]:
        """Predicts, with the contribution of each feature column to each prediction.

        Args:
            input_fn: as `predict`.
            predict_keys: as `predict`.
            hooks: as `predict`.
            checkpoint_path: as `predict`.

        Yields:
            dict of an example's predictions. Its "bias" is the prediction without features. Its "dfc" is an OrderedDict
            from the names of columns to their contributions, the greatest absolute value first.

        Raises:
            ValueError: if the bias is not centered, or a regression head changes its logits.
        """
        if not self._settings.center_bias:
            raise ValueError(
                "center_bias must be enabled during estimator instantiation when using "
                "experimental_predict_with_explanations."
            )
        if not self._is_classification and getattr(self._head, "_inverse_link_fn", None) not in (None, identity):
            raise ValueError(
                "For now only identity inverse_link_fn in regression_head is supported for "
                "experimental_predict_with_explanations."
            )
        model_fn = explaining_model(self._head, self._sorted_feature_columns, self._settings.quantile_sketch_epsilon)
        estimator = Estimator(model_fn, self.model_dir, self.config)
        keys = None if predict_keys is None else [*predict_keys, PATH_KEY]
        for prediction in estimator.predict(input_fn, keys, hooks, checkpoint_path):
            path = prediction.pop(PATH_KEY)
            bias, changes = contributions(path, self._feature_col_names, self._is_classification)
            yield {**prediction, "bias": bias, "dfc": changes}


class BoostedTreesClassifier(TreeEstimator):
    """A classifier of two classes that is a sum of trees.

    Args:
        feature_columns: iterable of numeric, bucketized and indicator columns.
        n_batches_per_layer: int, the batches whose statistics make a layer of a tree.
        model_dir: as `Estimator`.
        n_classes: int, 2.
        weight_column: as `DNNClassifier`.
        label_vocabulary: as `DNNClassifier`.
        n_trees: int, the number of trees.
        max_depth: int, the layers of a tree.
        learning_rate: float, the factor of each leaf's weight.
        l1_regularization: float, the penalty on the absolute weights of leaves.
        l2_regularization: float, the penalty on the squared weights of leaves.
        tree_complexity: float, the gain that a split must exceed; needs a pruning mode.
        min_node_weight: float, the least sum of hessians of a node that is split.
        config: RunConfig.
        center_bias: bool. If True, the first tree's root becomes the log odds of the labels before trees grow.
        pruning_mode: "none"; "pre", which makes no split of negative gain; or "post", which removes such splits.
        quantile_sketch_epsilon: float, the error of the quantiles of float columns; they have its inverse of buckets.
        train_in_memory: bool. If True, each batch is the whole data, and a step makes a layer.

    Raises:
        ValueError: if `n_classes` is not 2, a column is not of these kinds, or names are not unique; also on the same
            conditions as `Estimator`.

    Example:
        >>> columns = [tf.feature_column.bucketized_column(tf.feature_column.numeric_column("x"), [0.0, 1.0])]
        >>> estimator = tf.estimator.BoostedTreesClassifier(columns, 1, n_trees=2, max_depth=1, model_dir="model")
        >>> input_fn = lambda: ({"x": tf.constant([[-1.0], [0.5], [2.0]])}, tf.constant([[0], [1], [0]]))
        >>> estimator = estimator.train(input_fn, max_steps=100)
        >>> print(estimator.get_variable_value("global_step"))
        2
    """

    def __init__(
        self,
        feature_columns: Iterable[Any],
        n_batches_per_layer: Any,
        model_dir: str | None = None,
        n_classes: Any = _UNSET,
        weight_column: Any = None,
        label_vocabulary: Any = None,
        n_trees: int = 100,
        max_depth: int = 6,
        learning_rate: float = 0.1,
        l1_regularization: float = 0.0,
        l2_regularization: float = 0.0,
        tree_complexity: float = 0.0,
        min_node_weight: float = 0.0,
        config: RunConfig | None = None,
        center_bias: bool = False,
        pruning_mode: str = "none",
        quantile_sketch_epsilon: float = 0.01,
        train_in_memory: bool = False,
    ) -> None:
        columns = list(feature_columns)
        head = binary_head(n_classes, weight_column, label_vocabulary)
        settings = TreeSettings(
            *(n_trees, max_depth, learning_rate, l1_regularization, l2_regularization, tree_complexity),
            *(min_node_weight, center_bias, pruning_mode, quantile_sketch_epsilon),
        )
        closed_form = closed_form_of(weight_column, label_vocabulary)
        model = TreeModel(
            head, columns, settings, n_batches_per_layer, closed_form, weight_column, train_in_memory=train_in_memory
        )
        super().__init__(model, head, columns, settings, True, model_dir, config)


class BoostedTreesRegressor(TreeEstimator):
    """A regression of one number that is a sum of trees.

    Args:
        feature_columns: as `BoostedTreesClassifier`.
        n_batches_per_layer: as `BoostedTreesClassifier`.
        model_dir: as `Estimator`.
        label_dimension: int, 1.
        weight_column: as `DNNClassifier`.
        n_trees: as `BoostedTreesClassifier`.
        max_depth: as `BoostedTreesClassifier`.
        learning_rate: as `BoostedTreesClassifier`.
        l1_regularization: as `BoostedTreesClassifier`.
        l2_regularization: as `BoostedTreesClassifier`.
        tree_complexity: as `BoostedTreesClassifier`.
        min_node_weight: as `BoostedTreesClassifier`.
        config: RunConfig.
        center_bias: bool. If True, the first tree's root becomes the mean of the labels before trees grow.
        pruning_mode: as `BoostedTreesClassifier`.
        quantile_sketch_epsilon: as `BoostedTreesClassifier`.
        train_in_memory: as `BoostedTreesClassifier`.

    Raises:
        ValueError: if `label_dimension` is not 1; also on the same conditions as `BoostedTreesClassifier`.
    """

    def __init__(
        self,
        feature_columns: Iterable[Any],
        n_batches_per_layer: Any,
        model_dir: str | None = None,
        label_dimension: Any = _UNSET,
        weight_column: Any = None,
        n_trees: int = 100,
        max_depth: int = 6,
        learning_rate: float = 0.1,
        l1_regularization: float = 0.0,
        l2_regularization: float = 0.0,
        tree_complexity: float = 0.0,
        min_node_weight: float = 0.0,
        config: RunConfig | None = None,
        center_bias: bool = False,
        pruning_mode: str = "none",
        quantile_sketch_epsilon: float = 0.01,
        train_in_memory: bool = False,
    ) -> None:
        columns = list(feature_columns)
        head = single_head(label_dimension, weight_column)
        settings = TreeSettings(
            *(n_trees, max_depth, learning_rate, l1_regularization, l2_regularization, tree_complexity),
            *(min_node_weight, center_bias, pruning_mode, quantile_sketch_epsilon),
        )
        model = TreeModel(
            head, columns, settings, n_batches_per_layer, None, weight_column, train_in_memory=train_in_memory
        )
        super().__init__(model, head, columns, settings, False, model_dir, config)


class BoostedTreesEstimator(TreeEstimator):
    """A sum of trees with a head of any kind that has one logit.

    Args:
        feature_columns: as `BoostedTreesClassifier`.
        n_batches_per_layer: as `BoostedTreesClassifier`.
        head: Head, such as `tf.estimator.RegressionHead()`, whose loss has a second derivative.
        model_dir: as `Estimator`.
        weight_column: accepted; the head weighs the examples.
        n_trees: as `BoostedTreesClassifier`.
        max_depth: as `BoostedTreesClassifier`.
        learning_rate: as `BoostedTreesClassifier`.
        l1_regularization: as `BoostedTreesClassifier`.
        l2_regularization: as `BoostedTreesClassifier`.
        tree_complexity: as `BoostedTreesClassifier`.
        min_node_weight: as `BoostedTreesClassifier`.
        config: RunConfig.
        center_bias: as `BoostedTreesClassifier`.
        pruning_mode: as `BoostedTreesClassifier`.
        quantile_sketch_epsilon: as `BoostedTreesClassifier`.

    Raises:
        ValueError: on the same conditions as `BoostedTreesClassifier`.
    """

    def __init__(
        self,
        feature_columns: Iterable[Any],
        n_batches_per_layer: Any,
        head: Any,
        model_dir: str | None = None,
        weight_column: Any = None,
        n_trees: int = 100,
        max_depth: int = 6,
        learning_rate: float = 0.1,
        l1_regularization: float = 0.0,
        l2_regularization: float = 0.0,
        tree_complexity: float = 0.0,
        min_node_weight: float = 0.0,
        config: RunConfig | None = None,
        center_bias: bool = False,
        pruning_mode: str = "none",
        quantile_sketch_epsilon: float = 0.01,
    ) -> None:
        del weight_column
        columns = list(feature_columns)
        settings = TreeSettings(
            *(n_trees, max_depth, learning_rate, l1_regularization, l2_regularization, tree_complexity),
            *(min_node_weight, center_bias, pruning_mode, quantile_sketch_epsilon),
        )
        model = TreeModel(head, columns, settings, n_batches_per_layer)
        is_classification = isinstance(head, (BinaryHeadOfLogits, MultiClassHeadOfLogits))
        super().__init__(model, head, columns, settings, is_classification, model_dir, config)
