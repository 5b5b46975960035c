"""The contributions of features to predictions, and their importance for the trees."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ferroflow._src.base import proto
from ferroflow._src.estimator.modes import ModeKeys
from ferroflow._src.estimator.spec import EstimatorSpec
from ferroflow._src.estimator.tree_model import TreeInputs
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.flow.grouping import no_op

# The prediction with the path of an example through the trees.
PATH_KEY = "_serialized_debug_outputs_proto"


def sums_by_name(names: Sequence[str], values: Any) -> OrderedDict[str, Any]:
    """Returns the sum of the values of each name, those of greatest absolute value first."""
    sums: dict[str, Any] = {}
    for name, value in zip(names, values, strict=True):
        sums[name] = sums.get(name, 0) + value
    return OrderedDict(sorted(sums.items(), key=lambda item: abs(item[1]), reverse=True))


def importances(serialized: bytes, names: Sequence[str], normalize: bool) -> OrderedDict[str, Any]:
    """Returns the gains of all splits by each feature, weighed by their trees.

    Args:
        serialized: bytes, a serialized `TreeEnsemble` message.
        names: list of str, the name of each feature's column.
        normalize: bool. If True, the importances sum to 1.

    Returns:
        OrderedDict from names to float, the most important name first.

    Raises:
        AssertionError: if importances that are to be normalized contain a negative one, or are all 0.
    """
    ensemble = proto.TreeEnsemble.FromString(serialized)
    found = np.zeros(len(names))
    for tree, weight in zip(ensemble.trees, ensemble.tree_weights, strict=True):
        of_tree = np.zeros(len(names))
        for node in tree.nodes:
            kind = node.WhichOneof("node")
            if kind == "bucketized_split":
                of_tree[node.bucketized_split.feature_id] += node.metadata.gain
            elif kind != "leaf":
                raise ValueError(f"Unexpected split type {kind}")
        found += of_tree * weight
    if normalize:
        if np.any(found < 0):
            raise AssertionError("feature_importances must be non-negative.")
        if found.sum() <= 0:
            raise AssertionError("Trees are all empty or contain only a root node.")
        found /= found.sum()
    return sums_by_name(names, found)


def contributions(
    serialized: bytes, names: Sequence[str], is_classification: bool
) -> tuple[Any, OrderedDict[str, Any]]:
    """Returns the prediction without features, and the change of it that each feature makes.

    Args:
        serialized: bytes, a serialized `DebugOutput` message of an example.
        names: list of str, the name of each feature's column.
        is_classification: bool. If True, predictions are probabilities.

    Returns:
        float, and an OrderedDict from names to float, the greatest absolute value first.
    """
    path = proto.DebugOutput.FromString(serialized)
    predictions = np.array(path.logits_path)
    if is_classification:
        predictions = 1 / (1 + np.exp(-predictions))
    changes = np.bincount(path.feature_ids, weights=predictions[1:] - predictions[:-1], minlength=len(names))
    return predictions[0], sums_by_name(names, changes)


def explaining_model(head: Any, columns: list[Any], epsilon: float) -> Callable[..., EstimatorSpec]:
    """Returns the model function of predictions with the paths of the examples through the trees.

    Args:
        head: Head.
        columns: list of feature columns, sorted by name.
        epsilon: float, the error of quantiles.

    Returns:
        callable of `features`, `labels` and `mode`.
    """

    def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
        del labels, mode
        with name_scope("boosted_trees") as scope:
            inputs = TreeInputs(columns, epsilon, int(1.0 / epsilon), scope)
            vectors = inputs.vectors(features)
            logits = inputs.predict(vectors, head.logits_dimension)
            spec: EstimatorSpec = head.create_estimator_spec(
                features=features, mode=ModeKeys.PREDICT, labels=None, train_op_fn=lambda loss: no_op(), logits=logits
            )
            attrs = {"logits_dimension": head.logits_dimension}
            values = [inputs.ensemble.resource_handle, vectors]
            spec.predictions[PATH_KEY] = tensor_op("BoostedTreesExampleDebugOutputs", values, attrs)
            return spec

    return model_fn
