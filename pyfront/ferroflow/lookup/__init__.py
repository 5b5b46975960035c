"""`tf.lookup`: tables from keys to values."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.ops.lookup.buckets import StaticVocabularyTable as StaticVocabularyTable
from ferroflow._src.ops.lookup.initializer import (
    KeyValueTensorInitializer as KeyValueTensorInitializer,
    TextFileIndex as TextFileIndex,
    TextFileInitializer as TextFileInitializer,
)
from ferroflow._src.ops.lookup.table import StaticHashTable as StaticHashTable
from ferroflow.lookup import experimental as experimental

_tell_absent(globals())
