"""Decoders of examples: which features they have, and how items are made of these."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.control_flow.functional import map_fn
from ferroflow._src.framework.composite import SparseTensor as _SparseTensor
from ferroflow._src.framework.handles import Tensor as _Tensor
from ferroflow._src.ops.array.joining import concat, stack
from ferroflow._src.ops.array.shaping import expand_dims, reshape, shape as shape_of, transpose
from ferroflow._src.ops.array.slicing import slice as part_of
from ferroflow._src.ops.image.decoding import decode_image, decode_jpeg, is_jpeg
from ferroflow._src.ops.math import comparison
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.reduction import reduce_prod
from ferroflow._src.ops.parsing.examples import parse_single_example
from ferroflow._src.ops.parsing.features import FixedLenFeature
from ferroflow._src.ops.sparse.converting import sparse_tensor_to_dense
from ferroflow._src.ops.sparse.shaping import sparse_reshape
from ferroflow._src.ops.string.encoding import decode_raw


class DataDecoder(abc.ABC):
    """A decoder: makes items, such as an image and its label, of a record."""

    @abc.abstractmethod
    def decode(self, data: Any, items: Any) -> list[Any]:
        """Returns the items of a record.

        Args:
            data: Tensor of string of shape [], the record.
            items: list of str, their names.

        Returns:
            list of Tensors.
        """

    @abc.abstractmethod
    def list_items(self) -> list[str]:
        """Returns the names of the items, a list of str."""


class ItemHandler(abc.ABC):
    """A handler: makes an item of features.

    Args:
        keys: list of str, or str, the names of the features.
    """

    def __init__(self, keys: Any) -> None:
        self._keys = list(keys) if isinstance(keys, (tuple, list)) else [keys]

    @property
    def keys(self) -> list[str]:
        """The names of the features, a list of str."""
        return self._keys

    @abc.abstractmethod
    def tensors_to_item(self, keys_to_tensors: Mapping[str, Any]) -> Any:
        """Returns the item.

        Args:
            keys_to_tensors: dict from the names of the features to Tensors or SparseTensors.

        Returns:
            Tensor.
        """


class ItemHandlerCallback(ItemHandler):
    """Makes an item by a function of the program.

    Args:
        keys: list of str, or str, the names of the features.
        func: function of a dict from these names to Tensors or SparseTensors.
    """

    def __init__(self, keys: Any, func: Callable[[Mapping[str, Any]], Any]) -> None:
        super().__init__(keys)
        self._func = func

    def tensors_to_item(self, keys_to_tensors: Mapping[str, Any]) -> Any:
        """Returns what the function does."""
        return self._func(keys_to_tensors)


class BoundingBox(ItemHandler):
    """Makes boxes of four features that hold their sides.

    Args:
        keys: four str, the features of the upper, left, lower and right sides; by default "ymin", "xmin", "ymax" and
            "xmax".
        prefix: str, put before each.

    Raises:
        ValueError: if there are not four.
    """

    def __init__(self, keys: Sequence[str] | None = None, prefix: str = "") -> None:
        sides = ["ymin", "xmin", "ymax", "xmax"] if keys is None else list(keys)
        if len(sides) != 4:
            raise ValueError(f"BoundingBox expects 4 keys but got {len(sides)}")
        super().__init__([prefix + side for side in sides])

    def tensors_to_item(self, keys_to_tensors: Mapping[str, Any]) -> Any:
        """Returns the boxes, a Tensor of shape [boxes, 4]."""
        sides = [keys_to_tensors[key] for key in self._keys]
        rows = [expand_dims(side.values if isinstance(side, _SparseTensor) else side, 0) for side in sides]
        return transpose(concat(rows, 0))


class Tensor(ItemHandler):
    """Makes a dense tensor of one feature.

    Args:
        tensor_key: str, the name of the feature.
        shape_keys: str or list of str, the features that hold its sizes, or None.
        shape: its shape; None for that of the feature.
        default_value: the value of missing elements of a sparse feature.

    Raises:
        ValueError: if both `shape_keys` and `shape` are given.
    """

    def __init__(self, tensor_key: str, shape_keys: Any = None, shape: Any = None, default_value: Any = 0) -> None:
        if shape_keys and shape is not None:
            raise ValueError("Cannot specify both shape_keys and shape parameters.")
        sizes = [shape_keys] if isinstance(shape_keys, str) else list(shape_keys or ())
        super().__init__([tensor_key, *sizes])
        self._tensor_key = tensor_key
        self._shape_keys = sizes
        self._shape = shape
        self._default_value = default_value

    def tensors_to_item(self, keys_to_tensors: Mapping[str, Any]) -> Any:
        """Returns the tensor."""
        found = keys_to_tensors[self._tensor_key]
        shape = self._shape
        if self._shape_keys:
            sizes = [keys_to_tensors[key] for key in self._shape_keys]
            dense = [sparse_tensor_to_dense(size) if isinstance(size, _SparseTensor) else size for size in sizes]
            shape = reshape(stack(dense), [-1])
        if isinstance(found, _SparseTensor):
            if shape is not None:
                found = sparse_reshape(found, shape)
            return sparse_tensor_to_dense(found, self._default_value)
        return found if shape is None else reshape(found, shape)


class LookupTensor(Tensor):
    """Makes numbers of one feature of words.

    Args:
        tensor_key: str, the name of the feature.
        table: lookup table of its values.
        shape_keys: as for `Tensor`.
        shape: as for `Tensor`.
        default_value: the value of missing elements of a sparse feature.
    """

    def __init__(
        self, tensor_key: str, table: Any, shape_keys: Any = None, shape: Any = None, default_value: Any = ""
    ) -> None:
        super().__init__(tensor_key, shape_keys, shape, default_value)
        self._table = table

    def tensors_to_item(self, keys_to_tensors: Mapping[str, Any]) -> Any:
        """Returns what the table has for the elements."""
        return self._table.lookup(super().tensors_to_item(keys_to_tensors))


class BackupHandler(ItemHandler):
    """Makes an item by one handler, and where that gives an empty one, by another.

    Args:
        handler: ItemHandler.
        backup: ItemHandler.

    Raises:
        ValueError: if one of them is not an ItemHandler.
    """

    def __init__(self, handler: ItemHandler, backup: ItemHandler) -> None:
        for one in (handler, backup):
            if not isinstance(one, ItemHandler):
                raise ValueError(f"Handler is of type {type(one)} instead of ItemHandler")
        super().__init__([*handler.keys, *backup.keys])
        self._handler = handler
        self._backup = backup

    def tensors_to_item(self, keys_to_tensors: Mapping[str, Any]) -> Any:
        """Returns the item."""
        item = self._handler.tensors_to_item(keys_to_tensors)
        return cond(
            comparison.equal(reduce_prod(shape_of(item)), 0),
            true_fn=lambda: self._backup.tensors_to_item(keys_to_tensors),
            false_fn=lambda: item,
        )


class SparseTensor(ItemHandler):
    """Makes a sparse tensor of a feature of positions and one of values.

    Args:
        indices_key: str, the feature of the positions in the last dimension; "indices" by default.
        values_key: str, the feature of the values; "values" by default.
        shape_key: str, the feature of the shape, or None.
        shape: the shape; None for that of the feature of positions.
        densify: bool. If True, the item is dense.
        default_value: the value of missing elements of a dense item.
    """

    def __init__(
        self,
        indices_key: str | None = None,
        values_key: str | None = None,
        shape_key: str | None = None,
        shape: Any = None,
        densify: bool = False,
        default_value: Any = 0,
    ) -> None:
        self._indices_key = indices_key or "indices"
        self._values_key = values_key or "values"
        self._shape_key = shape_key
        self._shape = shape
        self._densify = densify
        self._default_value = default_value
        super().__init__([self._indices_key, self._values_key, *([shape_key] if shape_key else [])])

    def tensors_to_item(self, keys_to_tensors: Mapping[str, Any]) -> Any:
        """Returns the tensor, a SparseTensor or a Tensor."""
        positions, values = keys_to_tensors[self._indices_key], keys_to_tensors[self._values_key]
        if self._shape_key:
            shape = keys_to_tensors[self._shape_key]
            shape = shape.values if isinstance(shape, _SparseTensor) else shape
        else:
            shape = positions.dense_shape if self._shape is None else self._shape
        rank = shape_of(positions.indices)[1]
        kept = part_of(positions.indices, [0, 0], stack([-1, rank - 1]))
        last = reshape(cast(positions.values, dtypes.int64), [-1, 1])
        found = _SparseTensor(concat([kept, last], 1), values.values, shape)
        return sparse_tensor_to_dense(found, self._default_value) if self._densify else found


class Image(ItemHandler):
    """Makes an image of the features with its bytes and its format.

    Args:
        image_key: str, the feature of the bytes; "image/encoded" by default.
        format_key: str, the feature of the format; "image/format" by default.
        shape: the shape of the image; None for that of the bytes.
        channels: int, 1, 3 or 4.
        dtype: uint8 or uint16 of PNG; of other formats the elements are cast to it.
        repeated: bool. If True, the feature holds several images.
        dct_method: str, of JPEG: "", "INTEGER_FAST" or "INTEGER_ACCURATE".
    """

    def __init__(
        self,
        image_key: str | None = None,
        format_key: str | None = None,
        shape: Any = None,
        channels: int = 3,
        dtype: Any = dtypes.uint8,
        repeated: bool = False,
        dct_method: str = "",
    ) -> None:
        self._image_key = image_key or "image/encoded"
        self._format_key = format_key or "image/format"
        super().__init__([self._image_key, self._format_key])
        self._shape = shape
        self._channels = channels
        self._dtype = dtype
        self._repeated = repeated
        self._dct_method = dct_method

    def tensors_to_item(self, keys_to_tensors: Mapping[str, Any]) -> Any:
        """Returns the image, of shape [height, width, channels], or several, with a dimension before."""
        buffer, kind = keys_to_tensors[self._image_key], keys_to_tensors[self._format_key]
        if self._repeated:
            return map_fn(lambda one: self._decode(one, kind), buffer, dtype=self._dtype)
        return self._decode(buffer, kind)

    def _decode(self, image_buffer: Any, image_format: Any) -> _Tensor:
        """Returns the image of a string of bytes."""

        def jpeg() -> _Tensor:
            pixels: _Tensor = cast(decode_jpeg(image_buffer, self._channels, dct_method=self._dct_method), self._dtype)
            return pixels

        def other() -> _Tensor:
            pixels: _Tensor = cast(decode_image(image_buffer, channels=self._channels), self._dtype)
            return pixels

        def raw() -> _Tensor:
            return decode_raw(image_buffer, self._dtype)

        is_raw = comparison.logical_or(comparison.equal(image_format, "raw"), comparison.equal(image_format, "RAW"))
        image: _Tensor = cond(is_raw, raw, lambda: cond(is_jpeg(image_buffer), jpeg, other, name="cond_jpeg"))
        if self._shape is not None:
            return reshape(image, self._shape)
        image.set_shape([None, None, self._channels])
        return image


class TFExampleDecoder(DataDecoder):
    """Decodes `tf.train.Example` messages.

    Args:
        keys_to_features: dict from the names of features to `tf.FixedLenFeature`, `tf.VarLenFeature` and their kin.
        items_to_handlers: dict from the names of items to ItemHandlers.
    """

    def __init__(self, keys_to_features: Mapping[str, Any], items_to_handlers: Mapping[str, ItemHandler]) -> None:
        self._keys_to_features = keys_to_features
        self._items_to_handlers = items_to_handlers

    def list_items(self) -> list[str]:
        """Returns the names of the items, a list of str."""
        return list(self._items_to_handlers)

    def decode(self, data: Any, items: Any = None) -> list[Any]:
        """Returns the items of an example.

        Args:
            data: Tensor of string of shape [], a serialized example.
            items: list of str, the names of the items; None for all.

        Returns:
            list of Tensors.
        """
        example = parse_single_example(data, self._keys_to_features)
        for key in sorted(self._keys_to_features):
            feature = self._keys_to_features[key]
            if isinstance(feature, FixedLenFeature):
                example[key] = reshape(example[key], feature.shape)
        handlers = [self._items_to_handlers[item] for item in items or self._items_to_handlers]
        return [handler.tensors_to_item({key: example[key] for key in handler.keys}) for handler in handlers]
