//! Datasets: descriptions of elements that pass from op to op as variants, and the iterators that are made of them.

mod background;
mod batch;
mod cache;
mod cache_file;
mod cardinality;
mod csv;
mod directed_interleave;
mod files;
mod function;
mod generator;
mod group_by_reducer;
mod group_by_window;
mod held;
mod interleave;
mod iterator;
mod iterator_state;
mod lmdb;
mod map;
mod matching_files;
mod optional;
mod padded_batch;
mod parallel_map;
mod place;
mod position;
mod prefetch;
mod range;
mod recipe;
mod sampling;
mod saved;
mod schema;
mod selection;
mod sequence;
mod shard;
mod shuffle;
mod sparse_tensor_slice;
mod stacking;
mod take_while;
mod tensor;
mod tuning;
mod value;
mod window;

use ferroflow_graph::Registry;

/// Datasets that graphs of TensorFlow 1.13 and 1.14 have under names of their own, `Experimental` before these.
const ONCE_EXPERIMENTAL: [&str; 18] = [
    "BytesProducedStatsDataset",
    "CSVDataset",
    "DenseToSparseBatchDataset",
    "DirectedInterleaveDataset",
    "GroupByWindowDataset",
    "IgnoreErrorsDataset",
    "LatencyStatsDataset",
    "MapAndBatchDataset",
    "MapDataset",
    "MatchingFilesDataset",
    "MaxIntraOpParallelismDataset",
    "NonSerializableDataset",
    "ParallelInterleaveDataset",
    "PrivateThreadPoolDataset",
    "RandomDataset",
    "ScanDataset",
    "UnbatchDataset",
    "UniqueDataset",
];

pub(super) fn register(r: &mut Registry) {
    batch::register(r);
    cache::register(r);
    cardinality::register(r);
    csv::register(r);
    directed_interleave::register(r);
    files::register(r);
    generator::register(r);
    group_by_reducer::register(r);
    group_by_window::register(r);
    interleave::register(r);
    iterator::register(r);
    iterator_state::register(r);
    lmdb::register(r);
    map::register(r);
    matching_files::register(r);
    optional::register(r);
    padded_batch::register(r);
    parallel_map::register(r);
    prefetch::register(r);
    range::register(r);
    sampling::register(r);
    selection::register(r);
    sequence::register(r);
    shard::register(r);
    shuffle::register(r);
    sparse_tensor_slice::register(r);
    take_while::register(r);
    tensor::register(r);
    tuning::register(r);
    window::register(r);
    for name in ONCE_EXPERIMENTAL {
        r.add_renamed(name, &format!("Experimental{name}"));
    }
}
