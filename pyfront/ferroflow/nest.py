"""`tf.nest`: structures of lists, tuples, namedtuples and dictionaries (TF 1.13 and later)."""

from ferroflow._src.base.nest import assert_same_structure as assert_same_structure
from ferroflow._src.base.nest import flatten as flatten
from ferroflow._src.base.nest import is_nested as is_nested
from ferroflow._src.base.nest import map_structure as map_structure
from ferroflow._src.base.nest import pack_sequence_as as pack_sequence_as

__all__ = ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"]
