"""`tf.lookup`: tables from keys to values."""

from ferroflow._src.ops.lookup.buckets import StaticVocabularyTable as StaticVocabularyTable
from ferroflow._src.ops.lookup.initializer import (
    KeyValueTensorInitializer as KeyValueTensorInitializer,
)
from ferroflow._src.ops.lookup.initializer import (
    TextFileIndex as TextFileIndex,
)
from ferroflow._src.ops.lookup.initializer import (
    TextFileInitializer as TextFileInitializer,
)
from ferroflow._src.ops.lookup.table import (
    StaticHashTable as StaticHashTable,
)
