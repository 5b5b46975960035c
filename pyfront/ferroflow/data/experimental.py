"""`tf.data.experimental`: the transformations of `tf.contrib.data` as TF 1.12 and later name them."""

from ferroflow._src.data.batches_of_files import make_batched_features_dataset as make_batched_features_dataset
from ferroflow._src.data.batches_of_files import make_csv_dataset as make_csv_dataset
from ferroflow._src.data.batching import assert_element_shape as assert_element_shape
from ferroflow._src.data.batching import dense_to_sparse_batch as dense_to_sparse_batch
from ferroflow._src.data.batching import map_and_batch as map_and_batch
from ferroflow._src.data.batching import unbatch as unbatch
from ferroflow._src.data.csv import CsvDataset as CsvDataset
from ferroflow._src.data.grouping import bucket_by_sequence_length as bucket_by_sequence_length
from ferroflow._src.data.grouping import group_by_window as group_by_window
from ferroflow._src.data.interleaving import choose_from_datasets as choose_from_datasets
from ferroflow._src.data.interleaving import parallel_interleave as parallel_interleave
from ferroflow._src.data.interleaving import sample_from_datasets as sample_from_datasets
from ferroflow._src.data.resampling import rejection_resample as rejection_resample
from ferroflow._src.data.transformations import Counter as Counter
from ferroflow._src.data.transformations import RandomDataset as RandomDataset
from ferroflow._src.data.transformations import enumerate_dataset as enumerate_dataset
from ferroflow._src.data.transformations import get_single_element as get_single_element
from ferroflow._src.data.transformations import ignore_errors as ignore_errors
from ferroflow._src.data.transformations import prefetch_to_device as prefetch_to_device
from ferroflow._src.data.transformations import scan as scan
from ferroflow._src.data.transformations import shuffle_and_repeat as shuffle_and_repeat
from ferroflow._src.data.transformations import unique as unique

# Asks for as many calls, or as much reading ahead, as it takes.
AUTOTUNE = -1
