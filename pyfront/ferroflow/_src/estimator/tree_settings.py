"""`TreeSettings`: the numbers that determine how trees grow."""

from __future__ import annotations

from typing import NamedTuple


class TreeSettings(NamedTuple):
    """Numbers that determine the growth of trees.

    Attributes:
        n_trees: int, the number of trees.
        max_depth: int, the layers of a tree.
        learning_rate: float, the factor of each leaf's weight.
        l1: float, the penalty on the absolute weights of leaves.
        l2: float, the penalty on the squared weights of leaves.
        tree_complexity: float, the gain that a split must exceed.
        min_node_weight: float, the least sum of hessians of a node that is split.
        center_bias: bool. If True, the first tree's root becomes the mean of the labels before trees grow.
        pruning_mode: str, "none", "pre" or "post".
        quantile_sketch_epsilon: float, the error of quantiles, and the inverse of the number of a float feature's
            buckets.
    """

    n_trees: int
    max_depth: int
    learning_rate: float
    l1: float
    l2: float
    tree_complexity: float
    min_node_weight: float
    center_bias: bool
    pruning_mode: str
    quantile_sketch_epsilon: float

    @property
    def max_splits(self) -> int:
        """The most splits of a tree."""
        return (1 << self.max_depth) - 1

    @property
    def num_quantiles(self) -> int:
        """The number of buckets of a float feature."""
        return int(1.0 / self.quantile_sketch_epsilon)
