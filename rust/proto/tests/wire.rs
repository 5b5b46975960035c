//! Every message decodes from TensorFlow's own bytes, and encodes to bytes that hold all of them.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::path::Path;

use ferroflow_proto::tensorflow::boosted_trees::*;
use ferroflow_proto::tensorflow::tfprof::*;
use ferroflow_proto::tensorflow::*;
use ferroflow_proto::{Message, Name};

type Golden = BTreeMap<String, Vec<Vec<u8>>>;

/// Returns the sample bytes of each message, from `tests/golden/protos.tsv`: name, sample number, bytes in hexadecimal,
/// text.
fn golden() -> Golden {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/protos.tsv");
    let mut samples = Golden::new();
    for line in std::fs::read_to_string(path).unwrap().lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let wire = (0..columns[2].len()).step_by(2).map(|at| u8::from_str_radix(&columns[2][at..at + 2], 16).unwrap());
        samples.entry(columns[0].to_owned()).or_default().push(wire.collect());
    }
    samples
}

fn check<M: Message + Name + Default + PartialEq + Debug>(golden: &Golden) -> String {
    let name = M::full_name();
    for wire in &golden[&name] {
        let message = M::decode(&wire[..]).unwrap();
        let encoded = message.encode_to_vec();
        // prost writes a oneof where its lowest number stands, so the order may differ from TensorFlow's.
        assert_eq!(M::decode(&encoded[..]).unwrap(), message, "{name}");
        assert_eq!(encoded.len(), wire.len(), "{name} lost or gained bytes");
    }
    name
}

/// Packages are written in lower case, messages with a capital.
fn is_top_level(full_name: &str) -> bool {
    full_name.split('.').filter(|part| part.starts_with(|letter: char| letter.is_ascii_uppercase())).count() == 1
}

macro_rules! check_all {
    ($($message:ident)*) => {{
        let golden = golden();
        let checked: BTreeSet<String> = [$(check::<$message>(&golden)),*].into();
        let top_level = golden.into_keys().filter(|name| is_top_level(name)).collect();
        assert_eq!(checked, top_level);
    }};
}

#[test]
fn rust_keeps_every_byte_of_tensorflows_messages() {
    check_all!(
        AllocationDescription AllocationRecord AllocatorMemoryUsed AssetFileDef AttrValue
        AutoParallelOptions BundleEntryProto BundleHeaderProto BytesList CallableOptions CheckpointState
        ClusterDef ClusterDeviceFilters CollectionDef CondContextDef ConfigProto ControlFlowContextDef
        CostGraphDef DebugOptions DebugTensorWatch DebuggedSourceFile DebuggedSourceFiles DeviceAttributes
        DeviceLocality DeviceProperties DeviceStepStats Event Example ExampleParserConfiguration Feature
        FeatureConfiguration FeatureList FeatureLists Features FixedLenFeatureProto FloatList FullTypeDef
        FunctionDef FunctionDefLibrary GpuOptions GradientDef GraphDebugInfo GraphDef GraphOptions
        HistogramProto Int64List InterconnectLink JobDef JobDeviceFilters KernelDef KernelList LocalLinks
        LogMessage MemoryLogRawAllocation MemoryLogRawDeallocation MemoryLogStep MemoryLogTensorAllocation
        MemoryLogTensorDeallocation MemoryLogTensorOutput MemoryStats MetaGraphDef NameAttrList NamedDevice
        NamedTensorProto NodeDef NodeExecStats NodeOutput OpDef OpDeprecation OpList OptimizerOptions
        QueueRunnerDef RpcOptions RegisteredGradient RequestedExitCode ResourceHandleProto RewriterConfig
        RunMetadata RunOptions SaveSliceInfoDef SavedModel SavedSlice SavedSliceMeta SavedTensorSliceMeta
        SavedTensorSlices SaverDef ScopedAllocatorOptions SequenceExample ServerDef SessionLog
        SessionMetadata SignatureDef SourceMetadata StepStats Summary SummaryDescription SummaryMetadata
        TaggedRunMetadata TaskDeviceFilters TensorConnection TensorDescription TensorInfo TensorProto
        TensorShapeProto TensorSliceProto ThreadPoolOptionProto ValuesDef VarLenFeatureProto VariableDef
        VariantTensorDataProto VerifierConfig VersionDef WatchdogConfig WhileContextDef
        WorkerHeartbeatRequest WorkerHeartbeatResponse
        CodeDef OpLogEntry OpLogProto ProfileProto ProfileNode ExecProfile ExecTime ExecMemory Tuple Memory TfProfTensorProto GraphNodeProto MultiGraphNodeProto AdviceProto
        BucketizedSplit CategoricalSplit DebugOutput DenseSplit GrowingMetadata Leaf Node NodeMetadata SparseVector
        Tree TreeEnsemble TreeMetadata Vector
    );
}
