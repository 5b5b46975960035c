"""`tf.contrib.data`: transformations for `Dataset.apply`, and datasets, as TF 1.x has them."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.data.lmdb import LMDBDataset as LMDBDataset
from ferroflow._src.contrib.data.older_dataset import (
    Dataset as Dataset,
    FixedLengthRecordDataset as FixedLengthRecordDataset,
    TextLineDataset as TextLineDataset,
    TFRecordDataset as TFRecordDataset,
)
from ferroflow._src.contrib.data.record_writing import TFRecordWriter as TFRecordWriter
from ferroflow._src.contrib.data.sql import SqlDataset as SqlDataset
from ferroflow._src.data.batches_of_files import (
    make_batched_features_dataset as make_batched_features_dataset,
    make_csv_dataset as make_csv_dataset,
    read_batch_features as read_batch_features,
)
from ferroflow._src.data.batching import (
    assert_element_shape as assert_element_shape,
    batch_and_drop_remainder as batch_and_drop_remainder,
    dense_to_sparse_batch as dense_to_sparse_batch,
    map_and_batch as map_and_batch,
    padded_batch_and_drop_remainder as padded_batch_and_drop_remainder,
    sliding_window_batch as sliding_window_batch,
    unbatch as unbatch,
)
from ferroflow._src.data.csv import CsvDataset as CsvDataset
from ferroflow._src.data.grouping import (
    bucket_by_sequence_length as bucket_by_sequence_length,
    group_by_window as group_by_window,
)
from ferroflow._src.data.interleaving import (
    choose_from_datasets as choose_from_datasets,
    parallel_interleave as parallel_interleave,
    sample_from_datasets as sample_from_datasets,
    sloppy_interleave as sloppy_interleave,
)
from ferroflow._src.data.iterator import Iterator as Iterator
from ferroflow._src.data.iterator_saving import make_saveable_from_iterator as make_saveable_from_iterator
from ferroflow._src.data.resampling import rejection_resample as rejection_resample
from ferroflow._src.data.transformations import (
    Counter as Counter,
    RandomDataset as RandomDataset,
    enumerate_dataset as enumerate_dataset,
    get_single_element as get_single_element,
    ignore_errors as ignore_errors,
    prefetch_to_device as prefetch_to_device,
    scan as scan,
    shuffle_and_repeat as shuffle_and_repeat,
    unique as unique,
)
from ferroflow._src.supervision.hooks.input_pipeline_saver import (
    CheckpointInputPipelineHook as CheckpointInputPipelineHook,
)

AUTOTUNE = -1

_tell_absent(globals())
