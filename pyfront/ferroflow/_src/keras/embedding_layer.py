"""The embedding layer of models."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import (
    DictLike,
    Identifier,
    Initializer,
    TensorLike,
)
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras import named
from ferroflow._src.keras.base_layer import KerasLayer
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import not_equal
from ferroflow._src.ops.nn.embedding import embedding_lookup


class Embedding(KerasLayer):
    """Layer that looks up rows of a table by id.

    Args:
        input_dim: int, the number of rows.
        output_dim: int, the number of columns.
        embeddings_initializer: initializer of the table, or its name.
        embeddings_regularizer: callable of the table that gives a loss, or its name, or None.
        activity_regularizer: callable of the outputs that gives a loss, or its name, or None.
        embeddings_constraint: callable of the table after each update, or its name, or None.
        mask_zero: bool. If True, the id 0 stands for steps that do not count, for the layers that follow.
        input_length: int, the number of ids of an example; None for any.
        **kwargs: arguments of `KerasLayer`.
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        embeddings_initializer: Initializer | DictLike = "uniform",
        embeddings_regularizer: Identifier | None = None,
        activity_regularizer: Identifier | None = None,
        embeddings_constraint: Identifier | None = None,
        mask_zero: bool = False,
        input_length: int | None = None,
        **kwargs: Any,
    ) -> None:
        if "input_shape" not in kwargs and "batch_input_shape" not in kwargs:
            kwargs["input_shape"] = (input_length,)
        kwargs.setdefault("dtype", "float32")
        super().__init__(activity_regularizer=named.regularizer(activity_regularizer), **kwargs)
        self.input_dim, self.output_dim = input_dim, output_dim
        self.embeddings_initializer = named.initializer(embeddings_initializer)
        self.embeddings_regularizer = named.regularizer(embeddings_regularizer)
        self.embeddings_constraint = named.constraint(embeddings_constraint)
        self.mask_zero, self.input_length = mask_zero, input_length

    def compute_mask(self, inputs: TensorLike, mask: Any = None) -> Any:
        """Returns the mask of the ids: None, or True for ids other than 0.

        Args:
            inputs: Tensor of an integer or float dtype, of shape [batch, steps]: the ids.
            mask: accepted.

        Returns:
            Tensor of bool, of the shape of `inputs`; None for all.
        """
        return not_equal(inputs, 0) if self.mask_zero else None

    def build(self, input_shape: Any) -> None:
        """Makes the table.

        Args:
            input_shape: TensorShape of the inputs.

        Raises:
            ValueError: if the rank of the inputs is unknown.
        """
        TensorShape(input_shape).as_list()
        self.embeddings = self.add_weight(
            "embeddings",
            shape=(self.input_dim, self.output_dim),
            initializer=self.embeddings_initializer,
            regularizer=self.embeddings_regularizer,
            constraint=self.embeddings_constraint,
        )
        self.built = True

    def call(self, inputs: Any) -> Tensor:
        """Looks up rows by id.

        Args:
            inputs: Tensor of an integer or float dtype, of shape [batch, ...]: the numbers of the rows.

        Returns:
            Tensor of the table's dtype, of the shape of `inputs` + [output_dim].
        """
        return embedding_lookup(self.embeddings, cast(inputs, "int32"))
