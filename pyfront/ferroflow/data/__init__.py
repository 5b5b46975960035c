"""`tf.data`: input pipelines."""

from ferroflow._src.data.dataset import Dataset as Dataset
from ferroflow._src.data.iterator import Iterator as Iterator
from ferroflow._src.data.readers import FixedLengthRecordDataset as FixedLengthRecordDataset
from ferroflow._src.data.readers import TextLineDataset as TextLineDataset
from ferroflow._src.data.readers import TFRecordDataset as TFRecordDataset
from ferroflow.data import experimental as experimental
