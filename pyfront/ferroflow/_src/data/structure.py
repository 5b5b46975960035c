"""`Structure`: the types and shapes of a dataset's elements, and their conversion to the engine's flat tensors."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import NestedDTypes, NestedShapes, TensorLike
from ferroflow._src.data import element_nest as nest
from ferroflow._src.framework.composite import SparseTensor, SparseTensorValue
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.ragged.tensor import is_ragged
from ferroflow._src.ops.sparse.serializing import deserialize_sparse, serialize_many_sparse, serialize_sparse


class Structure(NamedTuple):
    """Dtypes, shapes and classes (Tensor, SparseTensor or a NestedDataset) of elements, nested alike."""

    types: Any
    shapes: Any
    classes: Any

    @staticmethod
    def of(tensors: TensorLike) -> Structure:
        """Returns the structure of an element of tensors, sparse tensors and datasets."""
        flat = [_component(t) for t in nest.flatten(tensors)]
        types, shapes, classes = ([part[i] for part in flat] for i in range(3))
        return Structure(
            nest.pack_sequence_as(tensors, types),
            nest.pack_sequence_as(tensors, shapes),
            nest.pack_sequence_as(tensors, classes),
        )

    @staticmethod
    def declared(types: NestedDTypes, shapes: NestedShapes | None, classes: Any = None) -> Structure:
        """Returns a structure as programs write it: shapes may be left out, and be anything that becomes one."""
        types = nest.map_structure(dtypes.as_dtype, types)
        if shapes is None:
            shapes = nest.map_structure(lambda _: TensorShape(None), types)
        else:
            shapes = nest.map_structure_up_to(types, _as_shape, shapes)
        if classes is None:
            classes = nest.map_structure(lambda _: Tensor, types)
        nest.assert_same_structure(types, shapes)
        return Structure(types, shapes, classes)

    def flat_types(self) -> list[Any]:
        """Returns the dtypes of the tensors that the engine sees: sparse tensors are variants."""
        pairs = zip(nest.flatten(self.types), nest.flatten(self.classes), strict=True)
        return [dtypes.variant if c is SparseTensor else t for t, c in pairs]

    def flat_shapes(self) -> list[TensorShape]:
        """Returns the shapes of the tensors that the engine sees."""
        pairs = zip(nest.flatten(self.shapes), nest.flatten(self.classes), strict=True)
        return [TensorShape(None) if c is SparseTensor else s for s, c in pairs]

    def has_sparse(self) -> bool:
        """Returns True if some component is sparse."""
        return SparseTensor in nest.flatten(self.classes)

    def element(self, tensors: Sequence[Any]) -> Any:
        """Returns the element that the engine's tensors make up."""
        flat = [
            _of_engine(t, dtype, shape, c)
            for t, dtype, shape, c in zip(
                tensors,
                nest.flatten(self.types),
                nest.flatten(self.shapes),
                nest.flatten(self.classes),
                strict=True,
            )
        ]
        return nest.pack_sequence_as(self.types, flat)

    def has_datasets(self) -> bool:
        """Returns True if some component is a dataset."""
        return any(isinstance(c, NestedDataset) for c in nest.flatten(self.classes))

    def attrs(self) -> dict[str, Any]:
        """Returns the op attributes that describe the elements."""
        return {"output_types": self.flat_types(), "output_shapes": self.flat_shapes()}


@dataclasses.dataclass(frozen=True)
class NestedDataset:
    """The class of a component that is itself a dataset.

    Attributes:
        structure: of that dataset's elements.
    """

    structure: Structure


class _Datasets:
    """The dataset class and its maker, registered later: datasets are made of structures, so importing them here
    would be a cycle.
    """

    kind: type = type(None)
    of_variant: Callable[[Tensor, Structure], Any]


def register_dataset(kind: type, of_variant: Callable[[Tensor, Structure], Any]) -> None:
    """Registers the dataset class, and the function that makes a dataset from a variant and the elements' structure."""
    _Datasets.kind = kind
    _Datasets.of_variant = staticmethod(of_variant)


def dataset_class() -> type:
    """Returns the registered dataset class."""
    return _Datasets.kind


def _component(item: Any) -> tuple[Any, TensorShape, Any]:
    """Returns dtype, shape and class of a component."""
    if isinstance(item, _Datasets.kind):
        structure = Structure(item.output_types, item.output_shapes, item.output_classes)  # type: ignore[attr-defined]
        return dtypes.variant, TensorShape([]), NestedDataset(structure)
    return item.dtype.base_dtype, item.get_shape(), SparseTensor if isinstance(item, SparseTensor) else Tensor


def _of_engine(tensor: Any, dtype: Any, shape: TensorShape, kind: Any) -> Any:
    """Returns the component that a tensor of the engine stands for."""
    if isinstance(kind, NestedDataset):
        return _Datasets.of_variant(tensor, kind.structure)
    return deserialize_sparse(tensor, dtype=dtype, rank=shape.ndims) if kind is SparseTensor else tensor


def _as_shape(shape: Any) -> TensorShape:
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def normalized(element: Any) -> Any:
    """`converted` of what a program gives as an element, under TensorFlow's names."""
    with name_scope("normalize_element"):
        return converted(element, names=True)


def converted(element: Any, names: bool = False) -> Any:
    """Returns an element of tensors, arrays, numbers, lists and datasets as one of tensors, sparse tensors and
    datasets.
    """
    flat: list[Any] = []
    for i, item in enumerate(nest.flatten(element)):
        if isinstance(item, _Datasets.kind):
            flat.append(item)
        elif isinstance(item, SparseTensor | SparseTensorValue):
            flat.append(SparseTensor.from_value(item))
        elif is_ragged(item):
            raise NotImplementedError(
                "Datasets of ragged tensors are not offered; use `to_tensor` or `to_sparse` of the RaggedTensor."
            )
        else:
            flat.append(convert_to_tensor(item, name=f"component_{i}" if names else None))
    return nest.pack_sequence_as(element, flat)


def serialized(element: Any) -> list[Tensor]:
    """Returns the tensors that represent an element in the engine."""
    flat = []
    for t in nest.flatten(element):
        if isinstance(t, _Datasets.kind):
            flat.append(t._as_variant_tensor())  # type: ignore[attr-defined]
        else:
            flat.append(serialize_sparse(t, out_type=dtypes.variant) if isinstance(t, SparseTensor) else t)
    return flat


def many_serialized(element: Any) -> Any:
    """Returns an element whose rows are elements, its sparse tensors in the form that has rows."""
    flat = [
        serialize_many_sparse(t, out_type=dtypes.variant) if isinstance(t, SparseTensor) else t
        for t in nest.flatten(element)
    ]
    return nest.pack_sequence_as(element, flat)
