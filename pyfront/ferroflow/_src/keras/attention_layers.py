"""Layers that average values by the similarity of queries and keys."""

from __future__ import annotations

import abc
from typing import Any, ClassVar

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras.base_layer import KerasLayer
from ferroflow._src.keras.settings import floatx
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.array.making import ones, ones_like
from ferroflow._src.ops.array.shaping import expand_dims, shape as shape_of
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import greater_equal, logical_and
from ferroflow._src.ops.math.elementwise import logical_not, tanh
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.math.segment import cumsum
from ferroflow._src.ops.nn.softmax import softmax
from ferroflow._src.variables.initializers import GlorotUniform, Ones


class _DenseAttention(KerasLayer, abc.ABC):
    """Base of attention layers over sequences; a subclass computes the scores.

    Args:
        causal: bool. If True, a position only attends to positions up to its own.
        **kwargs: arguments of `KerasLayer`.
    """

    def __init__(self, causal: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.causal = causal
        self.supports_masking = True

    @abc.abstractmethod
    def _calculate_scores(self, query: Tensor, key: Tensor) -> Tensor:
        """Returns the similarity of queries [batch, q, dim] and keys [batch, v, dim], of shape [batch, q, v]."""

    def call(self, inputs: Any, mask: Any = None) -> Tensor:
        """Computes the averages of values.

        Args:
            inputs: list of Tensors of one float dtype: the query, of shape [batch, q, dim], the value, of shape
                [batch, v, dim], and optionally the key, of the value's shape.
            mask: list of two Tensors of bool or None: the query's mask, of shape [batch, q], and the value's, of shape
                [batch, v]; None for no masks.

        Returns:
            Tensor of their dtype, of shape [batch, q, dim]; 0 where the query's mask is False.

        Raises:
            ValueError: if `inputs` is not a list of two or three tensors, or `mask` not a list of two.
        """
        self._validate_call_args(inputs, mask)
        query, value = inputs[0], inputs[1]
        query_mask, value_mask = (mask[0], mask[1]) if mask else (None, None)
        scores = self._calculate_scores(query, inputs[2] if len(inputs) > 2 else value)
        counted = None if value_mask is None else expand_dims(value_mask, axis=-2)
        if self.causal:
            sizes = shape_of(scores)
            earlier = _lower_triangle(concat([ones_like(sizes[:-2]), sizes[-2:]], axis=0))
            counted = earlier if counted is None else logical_and(counted, earlier)
        if counted is not None:
            scores -= 1.0e9 * cast(logical_not(counted), dtype=floatx())
        result: Tensor = matmul(softmax(scores), value)
        if query_mask is not None:
            result *= cast(expand_dims(query_mask, axis=-1), dtype=result.dtype)
        return result

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Returns the mask of the output: that of the query.

        Args:
            inputs: list of Tensors, as `call` takes them.
            mask: list of Tensors of bool or None, as `call` takes it.

        Returns:
            Tensor of bool, of shape [batch, q]; None for no mask.

        Raises:
            ValueError: on the same conditions as `call`.
        """
        self._validate_call_args(inputs, mask)
        return None if not mask or mask[0] is None else convert_to_tensor(mask[0])

    def _validate_call_args(self, inputs: Any, mask: Any) -> None:
        name = type(self).__name__
        if not isinstance(inputs, list):
            raise ValueError(
                f"{name} layer must be called on a list of inputs, namely [query, value] or [query, value, key]."
            )
        if not 2 <= len(inputs) <= 3:
            raise ValueError(
                f"{name} layer accepts inputs list of length 2 or 3, namely [query, value] or [query, value, key]. "
                f"Given length: {len(inputs)}"
            )
        if mask and not isinstance(mask, list):
            raise ValueError(f"{name} layer mask must be a list, namely [query_mask, value_mask].")
        if mask and len(mask) != 2:
            raise ValueError(
                f"{name} layer mask must be a list of length 2, namely [query_mask, value_mask]. Given length: "
                f"{len(mask)}"
            )


class Attention(_DenseAttention):
    """Dot-product attention layer: scores are the products of queries and keys.

    Args:
        use_scale: bool. If True, a variable scales the scores.
        **kwargs: `causal`, bool. If True, a position only attends to positions up to its own. Arguments of
            `KerasLayer`.
    """

    _OPTIONS: ClassVar[dict[str, Any]] = {"causal": False}

    def __init__(self, use_scale: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.use_scale = use_scale

    def build(self, input_shape: Any) -> None:
        """Makes the scale.

        Args:
            input_shape: list of TensorShapes, those of the inputs.
        """
        self.scale: Any = self.add_weight("scale", (), initializer=Ones()) if self.use_scale else None
        super().build(input_shape)

    def _calculate_scores(self, query: Tensor, key: Tensor) -> Tensor:
        scores: Tensor = matmul(query, key, transpose_b=True)
        return scores if self.scale is None else scores * self.scale


class AdditiveAttention(_DenseAttention):
    """Additive attention layer: scores are sums over the hyperbolic tangent of queries plus keys.

    Args:
        use_scale: bool. If True, a variable scales the terms of the sums.
        **kwargs: `causal`, bool. If True, a position only attends to positions up to its own. Arguments of
            `KerasLayer`.
    """

    _OPTIONS: ClassVar[dict[str, Any]] = {"causal": False}

    def __init__(self, use_scale: bool = True, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.use_scale = use_scale

    def build(self, input_shape: Any) -> None:
        """Makes the scale.

        Args:
            input_shape: list of TensorShapes, those of the inputs.
        """
        width = TensorShape(input_shape[1]).as_list()[-1]
        self.scale: Any = self.add_weight("scale", [width], initializer=GlorotUniform()) if self.use_scale else None
        super().build(input_shape)

    def _calculate_scores(self, query: Tensor, key: Tensor) -> Tensor:
        queries, keys = expand_dims(query, axis=-2), expand_dims(key, axis=-3)
        scale = self.scale if self.use_scale else 1.0
        scores: Tensor = reduce_sum(scale * tanh(queries + keys), axis=-1)
        return scores


def _lower_triangle(shape: Tensor) -> Tensor:
    """Returns a mask that is True where the row is not above the column, in the last two dimensions."""
    row = cumsum(ones(shape=shape, dtype=dtypes.int32), axis=-2)
    column = cumsum(ones(shape=shape, dtype=dtypes.int32), axis=-1)
    return greater_equal(row, column)
