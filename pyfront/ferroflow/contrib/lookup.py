"""`tf.contrib.lookup`: tables from keys to values."""

from ferroflow._src.ops.lookup.buckets import FastHashSpec as FastHashSpec
from ferroflow._src.ops.lookup.buckets import (
    HasherSpec as HasherSpec,
)
from ferroflow._src.ops.lookup.buckets import (
    IdTableWithHashBuckets as IdTableWithHashBuckets,
)
from ferroflow._src.ops.lookup.buckets import (
    StrongHashSpec as StrongHashSpec,
)
from ferroflow._src.ops.lookup.initializer import (
    KeyValueTensorInitializer as KeyValueTensorInitializer,
)
from ferroflow._src.ops.lookup.initializer import (
    TableInitializerBase as TableInitializerBase,
)
from ferroflow._src.ops.lookup.initializer import (
    TextFileIdTableInitializer as TextFileIdTableInitializer,
)
from ferroflow._src.ops.lookup.initializer import (
    TextFileIndex as TextFileIndex,
)
from ferroflow._src.ops.lookup.initializer import (
    TextFileInitializer as TextFileInitializer,
)
from ferroflow._src.ops.lookup.initializer import (
    TextFileStringTableInitializer as TextFileStringTableInitializer,
)
from ferroflow._src.ops.lookup.mutable import (
    MutableDenseHashTable as MutableDenseHashTable,
)
from ferroflow._src.ops.lookup.mutable import (
    MutableHashTable as MutableHashTable,
)
from ferroflow._src.ops.lookup.table import (
    HashTable as HashTable,
)
from ferroflow._src.ops.lookup.table import (
    InitializableLookupTableBase as InitializableLookupTableBase,
)
from ferroflow._src.ops.lookup.table import (
    LookupInterface as LookupInterface,
)
from ferroflow._src.ops.lookup.vocabulary import (
    index_table_from_file as index_table_from_file,
)
from ferroflow._src.ops.lookup.vocabulary import (
    index_table_from_tensor as index_table_from_tensor,
)
from ferroflow._src.ops.lookup.vocabulary import (
    index_to_string as index_to_string,
)
from ferroflow._src.ops.lookup.vocabulary import (
    index_to_string_table_from_file as index_to_string_table_from_file,
)
from ferroflow._src.ops.lookup.vocabulary import (
    index_to_string_table_from_tensor as index_to_string_table_from_tensor,
)
from ferroflow._src.ops.lookup.vocabulary import (
    string_to_index as string_to_index,
)
from ferroflow._src.ops.lookup.vocabulary import (
    string_to_index_table_from_file as string_to_index_table_from_file,
)
from ferroflow._src.ops.lookup.vocabulary import (
    string_to_index_table_from_tensor as string_to_index_table_from_tensor,
)
