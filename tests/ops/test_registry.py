"""Every op of the registry has a kernel for each type it promises, a settled gradient, and a test."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from ops import registry
from ops.cases.catalog import RECORDS
from ops.cases.record import Record, dtype_name

from ferroflow import _core
from ferroflow._src.autodiff.gradients import gradients
from ferroflow._src.base import dtypes
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops import operators
from ferroflow._src.ops.array.making import placeholder

assert operators

_OPS = [name for name in _core.op_names() if not registry.is_for_tests(name)]


def _starting(*prefixes: str) -> tuple[str, ...]:
    return tuple(name for name in _OPS if name.startswith(prefixes))


# Ops that a step never runs as they are, and why.
WITHOUT_KERNEL = {
    "the planner makes guards and loops of them": (
        *("Enter", "Exit", "LoopCond", "Merge", "NextIteration", "Switch"),
        *("RefEnter", "RefExit", "RefMerge", "RefNextIteration", "RefSwitch"),
    ),
}

# Kernels of TensorFlow 2.21 that TensorFlow 1.x did not have, by type.
LATER_TYPES = {
    # Complex numbers have no order.
    "ClipByValue": ("complex",),
    "Acos": ("int32", "int64"),
    **dict.fromkeys(
        (
            *("AccumulatorApplyGradient", "AccumulatorTakeGradient"),
            *("SparseAccumulatorApplyGradient", "SparseAccumulatorTakeGradient"),
        ),
        ("int", "complex"),
    ),
    **dict.fromkeys(
        (
            *("ApplyAdadelta", "ApplyAdagrad", "ApplyAdam", "ApplyCenteredRMSProp", "ApplyGradientDescent"),
            *("ApplyMomentum", "ApplyRMSProp", "SparseApplyAdadelta", "SparseApplyAdagrad"),
            *("ApplyAdagradV2", "SparseApplyAdagradV2"),
            *("SparseApplyCenteredRMSProp", "SparseApplyMomentum", "SparseApplyRMSProp"),
            *_starting("ResourceApply", "ResourceSparseApply"),
        ),
        ("complex64", "complex128"),
    ),
}

# Ops that are tested under the names of the functions that make them, by the file that does.
TESTED_ELSEWHERE = {
    "tests/ops/test_accumulating.py": (
        *_starting("Accumulator", "SparseAccumulator"),
        *("ConditionalAccumulator", "SparseConditionalAccumulator"),
    ),
    "tests/ops/test_assigning.py": _starting("Assign", "CountUpTo", "Scatter", "StridedSliceAssign", "Variable"),
    "tests/ops/test_differential.py": _starting("Random", "Stateless", "Multinomial", "TruncatedNormal"),
    "tests/ops/test_flow.py": (
        *("Assert", "ControlTrigger", "NoOp", "Print", "Timestamp"),
        *("ConsumeMutexLock", "MutexLock", "MutexV2"),
    ),
    "tests/mpi/test_alone.py": _starting("Horovod"),
    "tests/autodiff/test_py_function.py": _starting("EagerPyFunc"),
    "tests/ops/test_later_ops.py": _starting("UnicodeDecode"),
    "tests/ops/test_old_ops.py": ("MatchingFilesDataset", "SamplingDataset"),
    "tests/ops/test_ragged.py": _starting("Ragged"),
    "tests/ops/test_remaining_ops.py": (
        *("MapDefun", "NonDeterministicInts", "RngSkip", "ScaleAndTranslate", "ScaleAndTranslateGrad"),
        *_starting("StatefulStandardNormal", "StatefulTruncated", "StatefulUniform"),
        *_starting(
            "Experimental", "BytesProducedStats", "LatencyStats", "MaxIntraOp", "NonSerializable", "PrivateThread"
        ),
    ),
    "tests/ops/test_batching.py": ("Batch", "BatchFunction", "Unbatch", "UnbatchGrad"),
    "tests/ops/test_rare_ops.py": (
        *("Abort", "DecodeProtoV2", "DestroyTemporaryVariable", "EncodeProto", "Fact", "LMDBReader"),
        *("TemporaryVariable",),
    ),
    "tests/ops/test_boosted_trees.py": _starting("BoostedTrees", "IsBoostedTrees"),
    "tests/ops/test_sdca.py": _starting("Sdca"),
    "tests/ops/test_word2vec.py": ("NegTrain", "Skipgram"),
    "tests/data/test_later_transformations.py": (
        *_starting("Optional", "TakeWhileDataset", "GroupByReducerDataset", "DatasetCardinality"),
        *_starting("ExperimentalTakeWhile", "ExperimentalGroupByReducer", "ExperimentalDatasetCardinality"),
    ),
    "tests/control_flow/test_gradients.py": _starting("EmptyTensorList", "TensorArray", "TensorList"),
    "rust/ops/src/state/apply_tests.rs": _starting("Apply", "SparseApply"),
    "tests/variables/test_resource_variable.py": (
        *_starting("AssignAddVariableOp", "AssignSubVariableOp", "AssignVariableOp", "ReadVariableOp", "Resource"),
        *_starting("DestroyResourceOp", "Stack", "VarHandleOp", "VarIsInitializedOp", "VariableShape"),
    ),
    "tests/summary/test_graph_writer.py": (
        *("CloseSummaryWriter", "CreateSummaryFileWriter", "FlushSummaryWriter", "ImportEvent", "SummaryWriter"),
        *_starting("WriteAudio", "WriteGraph", "WriteHistogram", "WriteImage", "WriteScalar", "WriteSummary"),
    ),
    "tests/variables/test_initializers.py": ("InitializedValue", "IsVariableInitialized", "Qr"),
    "tests/session/test_plans.py": ("_FusedMatMul",),
    "tests/framework/test_import_graph_def.py": ("PlaceholderV2",),
    "tests/session/test_tensor_handle.py": ("DeleteSessionTensor", *_starting("GetSession")),
    "tests/ops/test_files.py": ("MatchingFiles", "ReadFile", "WriteFile"),
    "tests/ops/test_readers.py": (
        *_starting("FixedLengthRecordReader", "IdentityReader", "Reader"),
        *_starting("TFRecordReader", "TextLineReader", "WholeFile"),
    ),
    "tests/ops/test_parsing.py": ("DecodeCSV", "DecodeJSONExample", "SerializeTensor", *_starting("Parse")),
    "tests/ops/test_image_files.py": _starting(
        "DecodeAnd", "DecodeBmp", "DecodeGif", "DecodeImage", "DecodeJ", "DecodeP"
    )
    + _starting("EncodeJ", "EncodeP", "ExtractJpeg"),
    "tests/ops/test_images.py": _starting("CropAndResize", "NonMax", "Resize", "SampleDistorted"),
    "tests/ops/test_nn_golden.py": (
        *("LogUniformCandidateSampler", "MaxPoolGradGradV2", "ThreadUnsafeUnigramCandidateSampler"),
        *_starting("FusedBatchNorm"),
    ),
    "tests/summary/test_operations.py": _starting(
        *("AudioSummary", "HistogramSummary", "ImageSummary", "MergeSummary", "ScalarSummary", "TensorSummary"),
    ),
    "tests/ops/test_lookup.py": _starting("HashTable", "InitializeTable", "LookupTable", "Mutable"),
    "tests/ops/test_sparse.py": (
        *("AddManySparseToTensorsMap", "AddSparseToTensorsMap", "TakeManySparseFromTensorsMap"),
    ),
    "tests/data/test_iterator_positions.py": ("DeserializeIterator", "SerializeIterator"),
    "tests/summary/test_database.py": ("CreateSummaryDbWriter",),
    "tests/data/test_iterators.py": _starting("Iterator", "MakeIterator", "OneShotIterator"),
    "tests/ops/test_queues.py": _starting("FIFOQueue", "PaddingFIFO", "PriorityQueue", "Queue", "RandomShuffle"),
    "tests/ops/test_staging.py": (
        "FakeQueue",
        "RecordInput",
        *_starting("Barrier", "Map", "OrderedMap", "Stage", "Unstage"),
    ),
    "tests/ops/test_text.py": (
        *(
            "DecodeCompressed",
            "Fingerprint",
            "RegexFullMatch",
            "RegexReplace",
            "StringSplitV2",
            *_starting("StringToHashBucket"),
        ),
        *("Dequantize", *_starting("FakeQuant", "QuantizeAnd", "QuantizeV2")),
    ),
    "rust/ops/src/image/quantized_resize_bilinear.rs": ("QuantizedResizeBilinear",),
    "tests/framework/test_graphs_of_1_15.py": (
        *("Case", "For", "If", "PartitionedCall", "RemoteCall", "StatefulPartitionedCall", "While"),
        *("QuantizeDownAndShrinkRange", "RequantizationRange", "Requantize"),
        *_starting("QuantizedAvg", "QuantizedBias", "QuantizedC", "QuantizedMa", "QuantizedRe"),
    ),
    "tests/ops/test_signal.py": ("DecodeWav", "EncodeWav"),
    "rust/ops/src/audio/mfcc.rs": ("Mfcc",),
    "tests/ops/test_bad_values.py": ("HistogramFixedWidth",),
}


def _named(table: dict[str, tuple[str, ...]]) -> set[str]:
    return {name for names in table.values() for name in names}


def _reached(records: Iterable[Record]) -> set[str]:
    """The op types in the graphs of the records' first variants and of their gradients."""
    found: set[str] = set()
    for record in records:
        dtype = "float64" if "float64" in record.dtypes else record.dtypes[0]
        for variant in record.variants:
            with Graph().as_default() as graph:
                arrays = [spec.draw(np.random.default_rng(0), dtype) for spec in variant.inputs]
                inputs = [placeholder(dtype_name(a), a.shape) for a in arrays]
                result = record.function(*inputs, **variant.arguments)
                results = list(result) if isinstance(result, (list, tuple)) else [result]
                if record.differentiable and dtype == "float64":
                    positions = [i for i in record.differentiable if i < len(inputs)]
                    float_results = [r for r in results if isinstance(r, Tensor) and r.dtype.is_floating]
                    gradients(float_results, [inputs[i] for i in positions])
                found |= {op.type for op in graph.get_operations()}
    return found


def without_kernel(ops: Iterable[str]) -> set[str]:
    """The ops that have no kernel at all."""
    return {name for name in ops if not _core.op_info(name)["has_kernel"]}


def with_missing_types(ops: Iterable[str]) -> dict[str, list[str]]:
    """By op, the types that TensorFlow has a kernel for and the engine has not."""
    found = {}
    for name in ops:
        later = LATER_TYPES.get(name, ())
        missing = [m for m in registry.missing_kernels(name) if not any(t in m for t in later)]
        if missing:
            found[name] = missing
    return found


def untested(ops: Iterable[str], records: Iterable[Record]) -> set[str]:
    """The ops that neither a record reaches nor another test names."""
    elsewhere = _named(TESTED_ELSEWHERE) | _named(WITHOUT_KERNEL) | registry.named_in_tests()
    return set(ops) - _reached(records) - elsewhere


def test_every_op_has_a_kernel() -> None:
    assert without_kernel(_OPS) == _named(WITHOUT_KERNEL) & set(_OPS)


def test_every_op_has_a_kernel_for_each_type_that_tensorflow_has() -> None:
    assert with_missing_types(name for name in _OPS if name not in _named(WITHOUT_KERNEL)) == {}


def test_every_op_has_a_test() -> None:
    assert untested(_OPS, RECORDS) == set()


def test_the_files_that_test_the_other_ops_exist() -> None:
    root = Path(__file__).resolve().parents[2]
    assert [name for name in TESTED_ELSEWHERE if not (root / name).is_file()] == []


def test_the_walk_finds_a_missing_kernel() -> None:
    # Division of integers is what TensorFlow's schema of RealDiv allows and its kernels do not take.
    assert registry.lacks_kernel("RealDiv", {"T": dtypes.int32})
    assert not registry.lacks_kernel("RealDiv", {"T": dtypes.float32})


def test_the_walk_finds_an_op_without_a_test() -> None:
    assert untested(["NoSuchOpAnywhere"], []) == {"NoSuchOpAnywhere"}
    assert untested(["Sub"], [record for record in RECORDS if record.name == "subtract"]) == set()
