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
    """Returns the seeds `seed` and `seed2` of a dataset under the default graph's seed; zeros ask for a new order every
    time.

    Args:
        seed: int, or int64 scalar, or None.
    """
    first, second = get_seed(seed)
    tensors = [
        constant(0 if s is None else s, dtype=dtypes.int64, name=name) if not isinstance(s, Tensor) else s
        for s, name in ((first, "seed"), (second, "seed2"))
    ]
    seed1, seed2 = (convert_to_tensor(t, dtype=dtypes.int64) for t in tensors)
    if isinstance(second, Tensor):
        # Zeros that are computed are seeds like any other.
        with name_scope("seed2") as scope:
            are_zero = logical_and(equal(seed1, 0), equal(seed2, 0))
            seed2 = where(are_zero, constant(2**31 - 1, dtype=dtypes.int64), seed2, name=scope)
    return seed1, seed2
