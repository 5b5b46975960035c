"""`tf.data`: input pipelines."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.data.dataset import Dataset as Dataset
from ferroflow._src.data.element_specs import DatasetSpec as DatasetSpec
from ferroflow._src.data.iterator import Iterator as Iterator
from ferroflow._src.data.making import (
    get_output_classes as get_output_classes,
    get_output_shapes as get_output_shapes,
    get_output_types as get_output_types,
    make_initializable_iterator as make_initializable_iterator,
    make_one_shot_iterator as make_one_shot_iterator,
)
from ferroflow._src.data.options import Options as Options
from ferroflow._src.data.readers import (
    FixedLengthRecordDataset as FixedLengthRecordDataset,
    TextLineDataset as TextLineDataset,
    TFRecordDataset as TFRecordDataset,
)
from ferroflow.data import experimental as experimental

_tell_absent(globals())
