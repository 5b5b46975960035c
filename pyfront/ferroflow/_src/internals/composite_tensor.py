"""`tensorflow.python.framework.composite_tensor`: the class of objects that consist of tensors."""

from __future__ import annotations

import abc
from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.base.composite_parts import is_composite, parts_of, register_composite
from ferroflow._src.framework.composite import IndexedSlices, SparseTensor
from ferroflow._src.ops.ragged.tensor import RaggedTensor

__all__ = ["CompositeTensor", "replace_composites_with_components"]


class CompositeTensor(abc.ABC):
    """Base class of objects made of tensors; `SparseTensor`, `IndexedSlices` and `RaggedTensor` count as such."""

    @property
    @abc.abstractmethod
    def _type_spec(self) -> Any:
        """The `tf.TypeSpec` of the object."""

    def _to_components(self) -> Any:
        return self._type_spec._to_components(self)

    def _component_metadata(self) -> Any:
        return self._type_spec

    @staticmethod
    def _from_components(components: Any, metadata: Any) -> Any:
        return metadata._from_components(components)

    def _shape_invariant_to_type_spec(self, shape: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__}._shape_invariant_to_type_spec")

    @property
    def _is_graph_tensor(self) -> bool:
        return any(hasattr(part, "graph") for part in nest.flatten(self._to_components()))


CompositeTensor.register(SparseTensor)
CompositeTensor.register(IndexedSlices)
CompositeTensor.register(RaggedTensor)


register_composite(
    CompositeTensor,
    lambda value: nest.flatten(value._to_components()),
    lambda value, parts: value._from_components(parts, value._component_metadata()),
)


def _components(value: Any) -> Any:
    return list(parts_of(value)) if is_composite(value) else value


def replace_composites_with_components(structure: Any) -> Any:
    """Replaces the composite tensors of a structure by lists of their tensors.

    Args:
        structure: nest of Tensors and composite tensors.

    Returns:
        The nest, with a list in the place of each composite tensor.
    """
    return nest.map_structure(_components, structure)
