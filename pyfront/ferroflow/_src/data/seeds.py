"""The seeds of random datasets."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.random_seed import get_seed
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.math.comparison import equal, logical_and


def seed_tensors(seed: Any) -> tuple[Tensor, Tensor]:
    """Returns the seeds `seed` and `seed2` of a dataset under the default graph's seed; zeros mean a new order every
    time.

    Args:
        seed: int, or int64 scalar, or None.
    """
    first, second = get_seed(seed)
    seed1 = convert_to_tensor(0 if first is None else first, dtype=dtypes.int64, name="seed")
    if second is None:
        return seed1, constant(0, dtype=dtypes.int64, name="seed2")
    # Seeds that are zeros are seeds like any other. The nodes count for the seeds of operations after them.
    with name_scope("seed2") as scope:
        seed2 = convert_to_tensor(second, dtype=dtypes.int64)
        are_zero = logical_and(equal(seed1, 0), equal(seed2, 0))
        return seed1, where(are_zero, constant(2**31 - 1, dtype=dtypes.int64), seed2, name=scope)
