"""`TreeEnsemble`: the trees of a model, a resource that checkpoints contain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.default_graph import add_to_collection, control_dependencies, name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.saveable import SaveableObject, SaveSpec
from ferroflow._src.framework.trackable import Trackable
from ferroflow._src.ops.array.making import identity
from ferroflow._src.variables.resources import register_resource

_STATES = ("stamp_token", "num_trees", "num_finalized_trees", "num_attempted_layers", "last_layer_nodes_range")


class PruningMode:
    """The numbers of the pruning modes."""

    NO_PRUNING, PRE_PRUNING, POST_PRUNING = range(3)
    _map: ClassVar = {"none": NO_PRUNING, "pre": PRE_PRUNING, "post": POST_PRUNING}

    @classmethod
    def from_str(cls, mode: str) -> int:
        """Returns the number of a mode.

        Args:
            mode: str, "none", "pre" or "post".

        Returns:
            int.

        Raises:
            ValueError: if there is no such mode.
        """
        if mode not in cls._map:
            raise ValueError(f"pruning_mode mode must be one of: {', '.join(sorted(cls._map))}")
        return cls._map[mode]


class _EnsembleSaveable(SaveableObject):
    """The stamp of an ensemble and its trees, as a serialized message."""

    def __init__(self, handle: Tensor, create: Operation, name: str) -> None:
        stamp, serialized = apply_op("BoostedTreesSerializeEnsemble", [handle]).outputs
        specs = [SaveSpec(stamp, "", f"{name}_stamp"), SaveSpec(serialized, "", f"{name}_serialized")]
        super().__init__(handle, specs, name)
        self._handle = handle
        self._create = create

    def restore(self, restored_tensors: Sequence[Any], restored_shapes: Sequence[Any] | None) -> Operation:
        """Replaces the trees, which are created before."""
        del restored_shapes
        with control_dependencies([self._create]):
            return apply_op("BoostedTreesDeserializeEnsemble", [self._handle, *restored_tensors])


class TreeEnsemble(Trackable):
    """Trees that are grown in a graph.

    Args:
        name: str, the name of the resource, or a name scope that ends in "/".
        stamp_token: int, the first stamp; each change of the trees raises it.
        is_local: bool. If True, the ensemble belongs to one session, and savers do not save it.
        serialized_proto: bytes, a serialized `TreeEnsemble` message to begin with; b"" for no trees.
    """

    def __init__(
        self, name: str, stamp_token: int = 0, is_local: bool = False, serialized_proto: str | bytes = ""
    ) -> None:
        self._saveable: _EnsembleSaveable | None = None
        with name_scope(name, "TreeEnsemble") as scope:
            attrs = {"container": "", "shared_name": scope}
            self._resource_handle = tensor_op("BoostedTreesEnsembleResourceHandleOp", [], attrs, name=scope)
            values = [self._resource_handle, stamp_token, serialized_proto]
            self._initializer = apply_op("BoostedTreesCreateEnsemble", values)
            is_initialized = self.is_initialized()
            if not is_local:
                self._saveable = _EnsembleSaveable(self._resource_handle, self._initializer, self._resource_handle.name)
                add_to_collection(GraphKeys.SAVEABLE_OBJECTS, self._saveable)
            register_resource(self._resource_handle, self._initializer, is_initialized, is_shared=not is_local)

    @property
    def resource_handle(self) -> Tensor:
        """The handle, resource []."""
        return self._resource_handle

    @property
    def initializer(self) -> Operation:
        """The operation that creates the ensemble; one that exists stays as it is."""
        return self._initializer

    @property
    def saveable(self) -> SaveableObject | None:
        """The object that savers save; None for a local ensemble."""
        return self._saveable

    def is_initialized(self) -> Tensor:
        """Returns True if the ensemble has been created, bool []."""
        return tensor_op("IsBoostedTreesEnsembleInitialized", [self._resource_handle])

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {} if self._saveable is None else {"tree_ensemble": lambda name: self._saveable}

    def get_stamp_token(self) -> Tensor:
        """Returns the current stamp, int64 []."""
        return tensor_op("BoostedTreesGetEnsembleStates", [self._resource_handle])

    def get_states(self) -> tuple[Tensor, ...]:
        """Returns the numbers that describe the growth.

        Returns:
            The stamp, int64 []. The numbers of trees, of complete trees and of layers, int32 []. The first node of the
            last layer and the node after it, int32 [2].
        """
        states = apply_op("BoostedTreesGetEnsembleStates", [self._resource_handle]).outputs
        return tuple(identity(state, name=name) for state, name in zip(states, _STATES, strict=True))

    def serialize(self) -> tuple[Tensor, Tensor]:
        """Returns the stamp, int64 [], and the trees as a serialized message, string []."""
        stamp, serialized = apply_op("BoostedTreesSerializeEnsemble", [self._resource_handle]).outputs
        return stamp, serialized

    def deserialize(self, stamp_token: Any, serialized_proto: Any) -> Operation:
        """Replaces the trees.

        Args:
            stamp_token: int64 Tensor of shape [], the new stamp.
            serialized_proto: string Tensor of shape [], a serialized `TreeEnsemble` message.

        Returns:
            Operation.
        """
        values = [self._resource_handle, stamp_token, serialized_proto]
        return apply_op("BoostedTreesDeserializeEnsemble", values)
