"""`DropoutMasks`: the masks of recurrent cells, which are the same at all steps of a batch."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import BoolLike, TensorLike
from ferroflow._src.keras.backend_nn import dropout as left_out, in_train_phase
from ferroflow._src.ops.array.making import ones_like


class DropoutMasks:
    """Base of cells with dropout of their inputs and states; a subclass has `dropout` and `recurrent_dropout`."""

    dropout: float
    recurrent_dropout: float
    # The Tensor, or list of them, that the first request of a batch made.
    _dropout_mask: Any = None
    _recurrent_dropout_mask: Any = None

    def reset_dropout_mask(self) -> None:
        """Drops the mask of the inputs, so that the next request makes another."""
        self._dropout_mask = None

    def reset_recurrent_dropout_mask(self) -> None:
        """Drops the mask of the states, so that the next request makes another."""
        self._recurrent_dropout_mask = None

    def get_dropout_mask_for_cell(self, inputs: TensorLike, training: BoolLike | None, count: int = 1) -> Any:
        """Returns the mask of the inputs, which the first request makes.

        Args:
            inputs: Tensor of a float dtype, of the shape of the mask.
            training: bool, or Tensor of bool of shape []; None for the learning phase. Outside of training all
                elements are 1.
            count: int, the number of masks.

        Returns:
            Tensor of the dtype and shape of `inputs`, whose elements are 0 or 1 / (1 - `dropout`); if `count` is
            greater than 1, list of them. None without dropout.
        """
        if not self.dropout:
            return None
        if self._dropout_mask is None:
            self._dropout_mask = _masks(inputs, self.dropout, training, count)
        return self._dropout_mask

    def get_recurrent_dropout_mask_for_cell(self, inputs: TensorLike, training: BoolLike | None, count: int = 1) -> Any:
        """Returns the mask of a state, which the first request makes.

        Args:
            inputs: Tensor of a float dtype, of the shape of the mask.
            training: bool, or Tensor of bool of shape []; None for the learning phase. Outside of training all
                elements are 1.
            count: int, the number of masks.

        Returns:
            Tensor of the dtype and shape of `inputs`, whose elements are 0 or 1 / (1 - `recurrent_dropout`); if
            `count` is greater than 1, list of them. None without dropout.
        """
        if not self.recurrent_dropout:
            return None
        if self._recurrent_dropout_mask is None:
            self._recurrent_dropout_mask = _masks(inputs, self.recurrent_dropout, training, count)
        return self._recurrent_dropout_mask


def _masks(inputs: TensorLike, rate: float, training: Any, count: int) -> Any:
    ones = ones_like(inputs)
    made = [in_train_phase(lambda: left_out(ones, rate), ones, training) for _ in range(count)]
    return made if count > 1 else made[0]
