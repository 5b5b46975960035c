"""`tf.data`: input pipelines."""

from ferroflow._src.data.dataset import Dataset as Dataset
from ferroflow._src.data.iterator import Iterator as Iterator
from ferroflow._src.data.making import get_output_classes as get_output_classes
from ferroflow._src.data.making import get_output_shapes as get_output_shapes
from ferroflow._src.data.making import get_output_types as get_output_types
from ferroflow._src.data.making import make_initializable_iterator as make_initializable_iterator
from ferroflow._src.data.making import make_one_shot_iterator as make_one_shot_iterator
from ferroflow._src.data.readers import FixedLengthRecordDataset as FixedLengthRecordDataset
from ferroflow._src.data.readers import TextLineDataset as TextLineDataset
from ferroflow._src.data.readers import TFRecordDataset as TFRecordDataset
from ferroflow.data import experimental as experimental
