"""`tf.nest`: structures of lists, tuples, namedtuples and dictionaries (TF 1.13 and later)."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.base.nest import (
    assert_same_structure as assert_same_structure,
    flatten as flatten,
    is_nested as is_nested,
    map_structure as map_structure,
    pack_sequence_as as pack_sequence_as,
)

_tell_absent(globals())
