"""`tf.contrib.data.LMDBDataset`: the entries of LMDB databases."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.data.dataset import OpDataset
from ferroflow._src.data.structure import Structure
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor


class LMDBDataset(OpDataset):
    """The keys and values of LMDB databases, in the order of the keys, one database after the other.

    Args:
        filenames: Tensor of string, a scalar or a vector: paths of databases. A path is a folder with a file
            `data.mdb`, or a file.
    """

    def __init__(self, filenames: Any) -> None:
        scalar = TensorShape([])
        structure = Structure((dtypes.string, dtypes.string), (scalar, scalar), (Tensor, Tensor))
        names = convert_to_tensor(filenames, dtype=dtypes.string, name="filenames")
        super().__init__("LMDBDataset", [names], structure)
