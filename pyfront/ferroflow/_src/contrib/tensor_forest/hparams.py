"""`ForestHParams`: the parameters of a random forest."""

from __future__ import annotations

import math
import random
from typing import Any

_MODELS = ("all_dense", "all_sparse", "sparse_then_dense")
_SPLITS = ("less_or_equal", "less")


def number_of(value: Any, name: str) -> int:
    """Returns the number of a parameter that may be text.

    Args:
        value: int, or str of digits.
        name: str, the parameter's name.

    Raises:
        NotImplementedError: if the text is no number.
    """
    if isinstance(value, str) and not value.isdigit():
        raise NotImplementedError(
            f"{name}={value!r}: give one number; numbers that depend on the depth are not offered"
        )
    return int(value)


class ForestHParams:
    """Parameters of a random forest; `fill` must be called before their use.

    Args:
        num_trees: int, the number of trees.
        max_nodes: int, the most nodes of a tree.
        bagging_fraction: float, the share of each batch that a tree sees.
        num_splits_to_consider: int or str of digits, the splits that a leaf compares; 0 for the root of the number of
            features.
        feature_bagging_fraction: float, the share of the features that a tree sees.
        max_fertile_nodes: accepted; all leaves can be split.
        split_after_samples: int or str of digits, the examples that a leaf sees before it is split.
        valid_leaf_threshold: accepted; TensorFlow ignores it, too.
        dominate_method: accepted; only `split_finish_name` "hoeffding" and "bootstrap" would use it.
        dominate_fraction: as `dominate_method`.
        model_name: str, "all_dense", "all_sparse" or "sparse_then_dense"; the trees are the same.
        split_finish_name: str, "basic".
        split_pruning_name: str, "none".
        prune_every_samples: accepted; there is no pruning.
        early_finish_check_every_samples: accepted; leaves finish after `split_after_samples`.
        collate_examples: accepted; it changes the speed alone.
        checkpoint_stats: bool, False.
        use_running_stats_method: accepted; it changes the speed alone.
        initialize_average_splits: bool, False.
        inference_tree_paths: bool, False.
        param_file: None.
        split_name: str, "less_or_equal" or "less": the values that go to the left.
        **kwargs: other parameters: `num_classes` and `num_features`, which are needed; `regression`, a bool;
            `base_random_seed`, an int.

    Example:
        >>> from ferroflow.contrib.tensor_forest.python import tensor_forest
        >>> params = tensor_forest.ForestHParams(num_classes=3, num_features=4, num_trees=5, max_nodes=100).fill()
        >>> print(params.num_splits_to_consider, params.regression)
        10 False
    """

    def __init__(
        self,
        num_trees: int = 100,
        max_nodes: int = 10000,
        bagging_fraction: float = 1.0,
        num_splits_to_consider: int | str = 0,
        feature_bagging_fraction: float = 1.0,
        max_fertile_nodes: int = 0,
        split_after_samples: int | str = 250,
        valid_leaf_threshold: int = 1,
        dominate_method: str = "bootstrap",
        dominate_fraction: float = 0.99,
        model_name: str = "all_dense",
        split_finish_name: str = "basic",
        split_pruning_name: str = "none",
        prune_every_samples: int = 0,
        early_finish_check_every_samples: int = 0,
        collate_examples: bool = False,
        checkpoint_stats: bool = False,
        use_running_stats_method: bool = False,
        initialize_average_splits: bool = False,
        inference_tree_paths: bool = False,
        param_file: str | None = None,
        split_name: str = "less_or_equal",
        **kwargs: Any,
    ) -> None:
        self.num_classes: int
        self.num_features: int
        self.num_trees = num_trees
        self.max_nodes = max_nodes
        self.bagging_fraction = bagging_fraction
        self.num_splits_to_consider = num_splits_to_consider
        self.feature_bagging_fraction = feature_bagging_fraction
        self.max_fertile_nodes = max_fertile_nodes
        self.split_after_samples = split_after_samples
        self.valid_leaf_threshold = valid_leaf_threshold
        self.dominate_method = dominate_method
        self.dominate_fraction = dominate_fraction
        self.model_name = model_name
        self.split_finish_name = split_finish_name
        self.split_pruning_name = split_pruning_name
        self.prune_every_samples = prune_every_samples
        self.early_finish_check_every_samples = early_finish_check_every_samples
        self.collate_examples = collate_examples
        self.checkpoint_stats = checkpoint_stats
        self.use_running_stats_method = use_running_stats_method
        self.initialize_average_splits = initialize_average_splits
        self.inference_tree_paths = inference_tree_paths
        self.param_file = param_file
        self.split_name = split_name
        for name, value in kwargs.items():
            setattr(self, name, value)

    def values(self) -> dict[str, Any]:
        """Returns the parameters by their names."""
        return self.__dict__

    def _check(self) -> None:
        if self.model_name not in _MODELS:
            raise KeyError(self.model_name)
        if self.split_name not in _SPLITS:
            raise KeyError(self.split_name)
        wanted = {
            "split_finish_name": "basic",
            "split_pruning_name": "none",
            "checkpoint_stats": False,
            "initialize_average_splits": False,
            "inference_tree_paths": False,
            "param_file": None,
        }
        for name, value in wanted.items():
            found = getattr(self, name)
            if found != value:
                raise NotImplementedError(f"{name}={found!r} is not offered; leave it {value!r}")

    def fill(self) -> ForestHParams:
        """Sets the parameters that depend on others.

        Returns:
            The parameters.

        Raises:
            AttributeError: if `num_classes` or `num_features` is missing.
            KeyError: if `model_name` or `split_name` does not exist.
            NotImplementedError: if a parameter has a value that is not offered.
        """
        self._check()
        self.num_classes, self.num_features = int(self.num_classes), int(self.num_features)
        self.bagged_num_features = int(self.feature_bagging_fraction * self.num_features)
        self.bagged_features: list[list[int]] | None = None
        if self.feature_bagging_fraction < 1.0:
            features = range(self.num_features)
            self.bagged_features = [random.sample(features, self.bagged_num_features) for _ in range(self.num_trees)]
        self.regression = bool(getattr(self, "regression", False))
        self.num_outputs = self.num_classes if self.regression else 1
        self.num_output_columns = self.num_classes + 1
        usual = min(max(10, math.floor(math.sqrt(self.num_features))), 1000)
        # Text stays text: programs read it again.
        if not number_of(self.num_splits_to_consider, "num_splits_to_consider"):
            self.num_splits_to_consider = usual
        number_of(self.split_after_samples, "split_after_samples")
        self.base_random_seed = getattr(self, "base_random_seed", 0)
        return self
