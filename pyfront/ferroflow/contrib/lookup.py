"""`tf.contrib.lookup`: tables from keys to values."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.lookup.mutable import (
    MutableDenseHashTable as MutableDenseHashTable,
    MutableHashTable as MutableHashTable,
)
from ferroflow._src.ops.lookup.buckets import (
    FastHashSpec as FastHashSpec,
    HasherSpec as HasherSpec,
    IdTableWithHashBuckets as IdTableWithHashBuckets,
    StrongHashSpec as StrongHashSpec,
)
from ferroflow._src.ops.lookup.initializer import (
    KeyValueTensorInitializer as KeyValueTensorInitializer,
    TableInitializerBase as TableInitializerBase,
    TextFileIdTableInitializer as TextFileIdTableInitializer,
    TextFileIndex as TextFileIndex,
    TextFileInitializer as TextFileInitializer,
    TextFileStringTableInitializer as TextFileStringTableInitializer,
)
from ferroflow._src.ops.lookup.table import (
    HashTable as HashTable,
    InitializableLookupTableBase as InitializableLookupTableBase,
    LookupInterface as LookupInterface,
)
from ferroflow._src.ops.lookup.vocabulary import (
    index_table_from_file as index_table_from_file,
    index_table_from_tensor as index_table_from_tensor,
    index_to_string as index_to_string,
    index_to_string_table_from_file as index_to_string_table_from_file,
    index_to_string_table_from_tensor as index_to_string_table_from_tensor,
    string_to_index as string_to_index,
    string_to_index_table_from_file as string_to_index_table_from_file,
    string_to_index_table_from_tensor as string_to_index_table_from_tensor,
)

_tell_absent(globals())
