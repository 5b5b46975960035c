"""`tf.python_io`: record files outside of graphs."""

from ferroflow._src.base.files.record_files import TFRecordCompressionType as TFRecordCompressionType
from ferroflow._src.base.files.record_files import TFRecordOptions as TFRecordOptions
from ferroflow._src.base.files.record_files import TFRecordWriter as TFRecordWriter
from ferroflow._src.base.files.record_files import tf_record_iterator as tf_record_iterator

__all__ = ["TFRecordCompressionType", "TFRecordOptions", "TFRecordWriter", "tf_record_iterator"]
