"""Edit distances of sequences."""

from __future__ import annotations

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.composite import SparseTensor, SparseTensorValue
from ferroflow._src.framework.handles import Tensor


def edit_distance(
    hypothesis: TensorLike, truth: TensorLike, normalize: bool = True, name: str = "edit_distance"
) -> Tensor:
    """Counts the insertions, deletions and substitutions that make one sequence of another (Levenshtein's distance).

    Args:
        hypothesis: SparseTensor of any dtype, of rank n: sequences in the last dimension.
        truth: SparseTensor of the dtype and rank of `hypothesis`.
        normalize: bool. If True, a distance is divided by the length of the sequence in `truth`.
        name: str, name of the operation.

    Returns:
        Tensor of float32, of rank n - 1. Divided by a length of zero a distance is infinite, or zero where it is zero.

    Raises:
        TypeError: if an argument is not sparse.
        ValueError: if the ranks are known to differ.
    """
    if not isinstance(hypothesis, (SparseTensor, SparseTensorValue)):
        raise TypeError("Hypothesis must be a SparseTensor.")
    if not isinstance(truth, (SparseTensor, SparseTensorValue)):
        raise TypeError("Truth must be a SparseTensor.")
    inputs = [hypothesis.indices, hypothesis.values, hypothesis.dense_shape]
    inputs += [truth.indices, truth.values, truth.dense_shape]
    return tensor_op("EditDistance", inputs, {"normalize": normalize}, name=name)
