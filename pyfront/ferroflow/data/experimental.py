"""`tf.data.experimental`: the transformations of `tf.contrib.data` as TF 1.12 and later name them."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.data.record_writing import TFRecordWriter as TFRecordWriter
from ferroflow._src.contrib.data.sql import SqlDataset as SqlDataset
from ferroflow._src.data.batches_of_files import (
    make_batched_features_dataset as make_batched_features_dataset,
    make_csv_dataset as make_csv_dataset,
)
from ferroflow._src.data.batching import (
    assert_element_shape as assert_element_shape,
    dense_to_sparse_batch as dense_to_sparse_batch,
    map_and_batch as map_and_batch,
    map_and_batch_with_legacy_function as map_and_batch_with_legacy_function,
    unbatch as unbatch,
)
from ferroflow._src.data.csv import CsvDataset as CsvDataset
from ferroflow._src.data.element_specs import (
    DatasetSpec as _DatasetSpec,
    SparseTensorStructure as SparseTensorStructure,
    TensorStructure as TensorStructure,
)
from ferroflow._src.data.grouping import (
    Reducer as Reducer,
    bucket_by_sequence_length as bucket_by_sequence_length,
    group_by_reducer as group_by_reducer,
    group_by_window as group_by_window,
)
from ferroflow._src.data.interleaving import (
    choose_from_datasets as choose_from_datasets,
    parallel_interleave as parallel_interleave,
    sample_from_datasets as sample_from_datasets,
)
from ferroflow._src.data.iterator_saving import make_saveable_from_iterator as make_saveable_from_iterator
from ferroflow._src.data.making import (
    from_variant as from_variant,
    get_structure as get_structure,
    to_variant as to_variant,
)
from ferroflow._src.data.optional import (
    Optional as Optional,
    OptionalSpec as _OptionalSpec,
    get_next_as_optional as get_next_as_optional,
)
from ferroflow._src.data.options import (
    DistributeOptions as DistributeOptions,
    MapVectorizationOptions as MapVectorizationOptions,
    OptimizationOptions as OptimizationOptions,
    StatsOptions as StatsOptions,
    ThreadingOptions as ThreadingOptions,
)
from ferroflow._src.data.parsing import parse_example_dataset as parse_example_dataset
from ferroflow._src.data.resampling import rejection_resample as rejection_resample
from ferroflow._src.data.transformations import (
    INFINITE_CARDINALITY as INFINITE_CARDINALITY,
    Counter as Counter,
    RandomDataset as RandomDataset,
    cardinality as cardinality,
    copy_to_device as copy_to_device,
    enumerate_dataset as enumerate_dataset,
    get_single_element as get_single_element,
    ignore_errors as ignore_errors,
    prefetch_to_device as prefetch_to_device,
    scan as scan,
    shuffle_and_repeat as shuffle_and_repeat,
    take_while as take_while,
    unique as unique,
)
from ferroflow._src.framework.type_spec import TypeSpec as _TypeSpec
from ferroflow._src.supervision.hooks.input_pipeline_saver import (
    CheckpointInputPipelineHook as CheckpointInputPipelineHook,
)

DatasetStructure = _DatasetSpec
OptionalStructure = _OptionalSpec
Structure = _TypeSpec

# Requests as many calls, or as much reading ahead, as it takes.
AUTOTUNE = -1
# The values of `cardinality` for datasets without end, and of an unknown number of elements.
UNKNOWN_CARDINALITY = -2

_tell_absent(globals())
