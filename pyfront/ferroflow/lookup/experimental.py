"""`tf.lookup.experimental`: a table that can be changed, with a key for empty and one for deleted buckets."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.lookup.dense_table import DenseHashTable as DenseHashTable

_tell_absent(globals())
