"""`RandomTree`: a tree as a resource that checkpoints contain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferroflow._src.contrib.tensor_forest.hparams import ForestHParams, number_of
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.default_graph import add_to_collection, control_dependencies, name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.random_seed import get_seed
from ferroflow._src.framework.saveable import SaveableObject, SaveSpec
from ferroflow._src.variables.resources import register_resource


class _TreeSaveable(SaveableObject):
    """A tree as bytes."""

    def __init__(self, handle: Tensor, create: Operation) -> None:
        super().__init__(handle, [SaveSpec(tensor_op("RandomTreeSerialize", [handle]), "", handle.name)], handle.name)
        self._handle = handle
        self._create = create

    def restore(self, restored_tensors: Sequence[Any], restored_shapes: Sequence[Any] | None) -> Operation:
        """Replaces the tree, which is created before."""
        del restored_shapes
        with control_dependencies([self._create]):
            return apply_op("RandomTreeDeserialize", [self._handle, restored_tensors[0]])


def random_tree(params: ForestHParams, number: int, tree_config: str | bytes = "") -> Tensor:
    """Returns the handle of a tree, which is created with the shared resources.

    Args:
        params: ForestHParams, filled.
        number: int, the tree's number in the forest.
        tree_config: bytes of a tree to begin with; "" for a new one.

    Returns:
        Tensor of a resource, of shape [].
    """
    seed, seed2 = get_seed(params.base_random_seed + number if params.base_random_seed else None)
    with name_scope(f"tree-{number}") as scope:
        handle = tensor_op("RandomTreeHandle", [], {"container": "", "shared_name": scope}, name=scope)
        attrs = {
            "num_outputs": params.num_classes,
            "is_regression": params.regression,
            "max_nodes": params.max_nodes,
            "split_after_samples": number_of(params.split_after_samples, "split_after_samples"),
            "num_splits_to_consider": number_of(params.num_splits_to_consider, "num_splits_to_consider"),
            "is_strict": params.split_name == "less",
            "seed": seed or 0,
            "seed2": seed2 or 0,
        }
        create = apply_op("RandomTreeCreate", [handle, tree_config], attrs)
        register_resource(handle, create, tensor_op("RandomTreeIsCreated", [handle]))
        add_to_collection(GraphKeys.SAVEABLE_OBJECTS, _TreeSaveable(handle, create))
    return handle
