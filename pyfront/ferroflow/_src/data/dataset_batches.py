"""Methods of `Dataset` that put several elements together."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import Dimension, TensorShape
from ferroflow._src.base.typing import (
    BoolLike,
    IntsLike,
    NestedShapes,
    ShapeTensorLike,
    TensorLike,
)
from ferroflow._src.data import element_nest as nest
from ferroflow._src.data.dataset_base import DatasetBase, int64, op_dataset, structure_of
from ferroflow._src.data.element_function import ElementFunction, called
from ferroflow._src.data.padding import (
    check_padded_shape,
    default_padding,
    padded_batch_shape,
    padding_value,
    shape_tensor,
)
from ferroflow._src.data.structure import (
    NestedDataset,
    Structure,
    many_serialized,
)
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor

if TYPE_CHECKING:
    from ferroflow._src.data.dataset import Dataset


class DatasetBatches(DatasetBase):
    """Methods of `Dataset` that put several elements together."""

    def batch(self, batch_size: TensorLike, drop_remainder: BoolLike = False) -> Dataset:
        """Returns batches of elements of one shape.

        Args:
            batch_size: int64 scalar, elements of a batch.
            drop_remainder: If True, a last batch that is smaller is left out.

        Returns:
            Dataset of elements with one more dimension, the first.

        Raises:
            TypeError: if elements hold datasets.
        """
        size = int64(batch_size, "batch_size")
        structure = structure_of(self)
        if structure.has_datasets():
            raise TypeError("Batching of nested datasets is not supported: use `flat_map` to batch their elements.")
        shapes = nest.map_structure(_batch_shape(size, drop_remainder), structure.shapes)
        structure = structure._replace(shapes=shapes)
        drop = convert_to_tensor(drop_remainder, dtype=dtypes.bool, name="drop_remainder")
        return op_dataset("BatchDatasetV2", [self, size, drop], structure, kind="BatchDataset")

    def window(
        self,
        size: ShapeTensorLike,
        shift: TensorLike | None = None,
        stride: IntsLike = 1,
        drop_remainder: BoolLike = False,
    ) -> Dataset:
        """Returns datasets of elements that follow each other; where elements are nested, as many datasets nested
        alike.

        Args:
            size: int64 scalar, elements of a window.
            shift: int64 scalar, elements from the beginning of one window to that of the next; by default `size`.
            stride: int64 scalar, elements from one element of a window to the next.
            drop_remainder: If True, last windows that are smaller are left out.

        Returns:
            Dataset of Datasets.

        Raises:
            tf.errors.InvalidArgumentError: when the step runs, if one of the numbers is not positive.
        """
        structure = structure_of(self)
        inputs = [self, int64(size, "size"), int64(size if shift is None else shift, "shift")]
        inputs += [
            int64(stride, "stride"),
            convert_to_tensor(drop_remainder, dtype=dtypes.bool, name="drop_remainder"),
        ]
        leaves = zip(*(nest.flatten(part) for part in structure), strict=True)
        nested = [NestedDataset(Structure(*leaf)) for leaf in leaves]
        windows = Structure(
            nest.pack_sequence_as(structure.types, [dtypes.variant] * len(nested)),
            nest.pack_sequence_as(structure.types, [TensorShape([])] * len(nested)),
            nest.pack_sequence_as(structure.types, nested),
        )
        return op_dataset("WindowDataset", inputs, windows)

    def padded_batch(
        self,
        batch_size: TensorLike,
        padded_shapes: NestedShapes,
        padding_values: object = None,
        drop_remainder: BoolLike = False,
    ) -> Dataset:
        """Returns batches of elements that are filled up to one shape.

        Args:
            batch_size: int64 scalar, elements of a batch.
            padded_shapes: structure of shapes; a dimension of None (-1) is as large as the batch's largest element.
            padding_values: structure of scalars to fill up with; by default 0, "" and False.
            drop_remainder: If True, a last batch that is smaller is left out.

        Returns:
            Dataset of elements with one more dimension, the first.

        Raises:
            TypeError: if a component is sparse, or a padding value has another dtype than its component.
            ValueError: if a padding value is not a scalar, or a padded shape has another rank than its component or is
                smaller.
        """
        structure = structure_of(self)
        if structure.has_sparse():
            raise TypeError("Batching of padded sparse tensors is not currently supported")
        size = int64(batch_size, "batch_size")
        if padding_values is None:
            padding_values = default_padding(structure.types)
        shapes = nest.map_structure_up_to(structure.shapes, shape_tensor, padded_shapes)
        nest.map_structure(check_padded_shape, shapes, structure.shapes)
        values = nest.map_structure_up_to(structure.shapes, padding_value, padding_values, structure.types)
        first = _batch_dimension(size, drop_remainder)
        batched = structure._replace(shapes=nest.map_structure(lambda s: padded_batch_shape(first, s), shapes))
        inputs = [self, size, nest.flatten(shapes), nest.flatten(values)]
        inputs.append(convert_to_tensor(drop_remainder, dtype=dtypes.bool, name="drop_remainder"))
        return op_dataset("PaddedBatchDatasetV2", inputs, batched, kind="PaddedBatchDataset")

    def unbatch(self) -> Dataset:
        """Returns the rows of elements as elements.

        Returns:
            Dataset of elements with one dimension less.

        Raises:
            ValueError: if a component is a scalar, or first dimensions differ.
        """
        structure = structure_of(self)
        shapes = nest.flatten(structure.shapes)
        if any(s.ndims == 0 for s in shapes):
            raise ValueError("Cannot unbatch an input with scalar components.")
        common = Dimension(None)
        for shape in shapes:
            try:
                common = common.merge_with(shape[0] if shape.ndims is not None else None)
            except ValueError:
                raise ValueError("Cannot unbatch an input whose components have different batch sizes.") from None
        rows = structure._replace(shapes=nest.map_structure(lambda s: s[1:], structure.shapes))
        # Sparse tensors become those that have rows.
        f = ElementFunction(lambda e: called(_with_rows, e), [structure], "tf_map_func")
        normalized = op_dataset("MapDataset", [self, f], f.structure, {"f": f})
        return op_dataset("UnbatchDataset", [normalized], rows)


def _with_rows(*element: Any) -> Any:
    """Returns an element whose rows are elements, its sparse tensors in the form that has rows."""
    return many_serialized(element if len(element) > 1 else element[0])


def _batch_dimension(size: Tensor, drop_remainder: Any) -> Any:
    """Returns the first dimension of batches, as far as it is known."""
    if isinstance(drop_remainder, Tensor):
        drop_remainder = constant_value(drop_remainder)
    known = constant_value(size) if drop_remainder else None
    return None if known is None else int(known)


def _batch_shape(size: Tensor, drop_remainder: Any) -> Callable[[TensorShape], TensorShape]:
    first = TensorShape([_batch_dimension(size, drop_remainder)])
    return first.concatenate
