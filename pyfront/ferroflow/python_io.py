"""`tf.python_io`: record files outside of graphs."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.base.files.record_files import (
    TFRecordCompressionType as TFRecordCompressionType,
    TFRecordOptions as TFRecordOptions,
    TFRecordWriter as TFRecordWriter,
    tf_record_iterator as tf_record_iterator,
)

_tell_absent(globals())
