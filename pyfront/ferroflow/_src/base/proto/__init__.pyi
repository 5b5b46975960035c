"""The types of the messages and enums: written by tests/typing/message_stub.py, not by hand."""

import builtins
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any, SupportsFloat, SupportsIndex, TypeAlias

from google.protobuf.internal.containers import (
    MessageMap,
    RepeatedCompositeFieldContainer,
    RepeatedScalarFieldContainer,
    ScalarMap,
)
from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
from google.protobuf.message import Message

_Int: TypeAlias = SupportsIndex
_Float: TypeAlias = SupportsFloat | SupportsIndex

def text_format() -> ModuleType: ...
def json_format() -> ModuleType: ...
def decode_errors() -> tuple[type[Exception], ...]: ...
def descriptor_pool() -> Any: ...

class AllocationDescription(Message):
    requested_bytes: int
    allocated_bytes: int
    allocator_name: str
    allocation_id: int
    has_single_reference: bool
    ptr: int
    def __init__(
        self,
        *,
        requested_bytes: _Int | None = None,
        allocated_bytes: _Int | None = None,
        allocator_name: str | bytes | None = None,
        allocation_id: _Int | None = None,
        has_single_reference: bool | _Int | None = None,
        ptr: _Int | None = None,
    ) -> None: ...

class TensorShapeProto(Message):
    class Dim(Message):
        size: int
        name: str
        def __init__(self, *, size: _Int | None = None, name: str | bytes | None = None) -> None: ...

    dim: RepeatedCompositeFieldContainer[TensorShapeProto.Dim]
    unknown_rank: bool
    def __init__(
        self,
        *,
        dim: Iterable[TensorShapeProto.Dim | Mapping[str, Any]] | None = None,
        unknown_rank: bool | _Int | None = None,
    ) -> None: ...

class ResourceHandleProto(Message):
    class DtypeAndShape(Message):
        dtype: int
        shape: TensorShapeProto
        def __init__(
            self, *, dtype: _Int | str | None = None, shape: TensorShapeProto | Mapping[str, Any] | None = None
        ) -> None: ...

    device: str
    container: str
    name: str
    hash_code: int
    maybe_type_name: str
    dtypes_and_shapes: RepeatedCompositeFieldContainer[ResourceHandleProto.DtypeAndShape]
    def __init__(
        self,
        *,
        device: str | bytes | None = None,
        container: str | bytes | None = None,
        name: str | bytes | None = None,
        hash_code: _Int | None = None,
        maybe_type_name: str | bytes | None = None,
        dtypes_and_shapes: Iterable[ResourceHandleProto.DtypeAndShape | Mapping[str, Any]] | None = None,
    ) -> None: ...

class TensorProto(Message):
    dtype: int
    tensor_shape: TensorShapeProto
    version_number: int
    tensor_content: bytes
    float_val: RepeatedScalarFieldContainer[float]
    double_val: RepeatedScalarFieldContainer[float]
    int_val: RepeatedScalarFieldContainer[int]
    string_val: RepeatedScalarFieldContainer[bytes]
    scomplex_val: RepeatedScalarFieldContainer[float]
    int64_val: RepeatedScalarFieldContainer[int]
    bool_val: RepeatedScalarFieldContainer[bool]
    dcomplex_val: RepeatedScalarFieldContainer[float]
    half_val: RepeatedScalarFieldContainer[int]
    resource_handle_val: RepeatedCompositeFieldContainer[ResourceHandleProto]
    variant_val: RepeatedCompositeFieldContainer[VariantTensorDataProto]
    uint32_val: RepeatedScalarFieldContainer[int]
    uint64_val: RepeatedScalarFieldContainer[int]
    float8_val: bytes
    def __init__(
        self,
        *,
        dtype: _Int | str | None = None,
        tensor_shape: TensorShapeProto | Mapping[str, Any] | None = None,
        version_number: _Int | None = None,
        tensor_content: bytes | None = None,
        float_val: Iterable[_Float] | None = None,
        double_val: Iterable[_Float] | None = None,
        int_val: Iterable[_Int] | None = None,
        string_val: Iterable[bytes] | None = None,
        scomplex_val: Iterable[_Float] | None = None,
        int64_val: Iterable[_Int] | None = None,
        bool_val: Iterable[bool | _Int] | None = None,
        dcomplex_val: Iterable[_Float] | None = None,
        half_val: Iterable[_Int] | None = None,
        resource_handle_val: Iterable[ResourceHandleProto | Mapping[str, Any]] | None = None,
        variant_val: Iterable[VariantTensorDataProto | Mapping[str, Any]] | None = None,
        uint32_val: Iterable[_Int] | None = None,
        uint64_val: Iterable[_Int] | None = None,
        float8_val: bytes | None = None,
    ) -> None: ...

class VariantTensorDataProto(Message):
    type_name: str
    metadata: bytes
    tensors: RepeatedCompositeFieldContainer[TensorProto]
    def __init__(
        self,
        *,
        type_name: str | bytes | None = None,
        metadata: bytes | None = None,
        tensors: Iterable[TensorProto | Mapping[str, Any]] | None = None,
    ) -> None: ...

class AttrValue(Message):
    class ListValue(Message):
        s: RepeatedScalarFieldContainer[bytes]
        i: RepeatedScalarFieldContainer[int]
        f: RepeatedScalarFieldContainer[float]
        b: RepeatedScalarFieldContainer[bool]
        type: RepeatedScalarFieldContainer[int]
        shape: RepeatedCompositeFieldContainer[TensorShapeProto]
        tensor: RepeatedCompositeFieldContainer[TensorProto]
        func: RepeatedCompositeFieldContainer[NameAttrList]
        def __init__(
            self,
            *,
            s: Iterable[bytes] | None = None,
            i: Iterable[_Int] | None = None,
            f: Iterable[_Float] | None = None,
            b: Iterable[bool | _Int] | None = None,
            type: Iterable[_Int | str] | None = None,
            shape: Iterable[TensorShapeProto | Mapping[str, Any]] | None = None,
            tensor: Iterable[TensorProto | Mapping[str, Any]] | None = None,
            func: Iterable[NameAttrList | Mapping[str, Any]] | None = None,
        ) -> None: ...

    list: AttrValue.ListValue
    s: bytes
    i: int
    f: float
    b: bool
    type: int
    shape: TensorShapeProto
    tensor: TensorProto
    placeholder: str
    func: NameAttrList
    def __init__(
        self,
        *,
        list: AttrValue.ListValue | Mapping[str, Any] | None = None,
        s: bytes | None = None,
        i: _Int | None = None,
        f: _Float | None = None,
        b: bool | _Int | None = None,
        type: _Int | str | None = None,
        shape: TensorShapeProto | Mapping[str, Any] | None = None,
        tensor: TensorProto | Mapping[str, Any] | None = None,
        placeholder: str | bytes | None = None,
        func: NameAttrList | Mapping[str, Any] | None = None,
    ) -> None: ...

class NameAttrList(Message):
    name: str
    attr: MessageMap[str, AttrValue]
    def __init__(
        self, *, name: str | bytes | None = None, attr: Mapping[str, AttrValue | Mapping[str, Any]] | None = None
    ) -> None: ...

class Node(Message):
    leaf: Leaf
    bucketized_split: BucketizedSplit
    categorical_split: CategoricalSplit
    dense_split: DenseSplit
    metadata: NodeMetadata
    def __init__(
        self,
        *,
        leaf: Leaf | Mapping[str, Any] | None = None,
        bucketized_split: BucketizedSplit | Mapping[str, Any] | None = None,
        categorical_split: CategoricalSplit | Mapping[str, Any] | None = None,
        dense_split: DenseSplit | Mapping[str, Any] | None = None,
        metadata: NodeMetadata | Mapping[str, Any] | None = None,
    ) -> None: ...

class NodeMetadata(Message):
    gain: float
    original_leaf: Leaf
    def __init__(
        self, *, gain: _Float | None = None, original_leaf: Leaf | Mapping[str, Any] | None = None
    ) -> None: ...

class Leaf(Message):
    vector: Vector
    sparse_vector: SparseVector
    scalar: float
    def __init__(
        self,
        *,
        vector: Vector | Mapping[str, Any] | None = None,
        sparse_vector: SparseVector | Mapping[str, Any] | None = None,
        scalar: _Float | None = None,
    ) -> None: ...

class Vector(Message):
    value: RepeatedScalarFieldContainer[float]
    def __init__(self, *, value: Iterable[_Float] | None = None) -> None: ...

class SparseVector(Message):
    index: RepeatedScalarFieldContainer[int]
    value: RepeatedScalarFieldContainer[float]
    def __init__(self, *, index: Iterable[_Int] | None = None, value: Iterable[_Float] | None = None) -> None: ...

class BucketizedSplit(Message):
    feature_id: int
    threshold: int
    dimension_id: int
    default_direction: int
    left_id: int
    right_id: int
    def __init__(
        self,
        *,
        feature_id: _Int | None = None,
        threshold: _Int | None = None,
        dimension_id: _Int | None = None,
        default_direction: _Int | str | None = None,
        left_id: _Int | None = None,
        right_id: _Int | None = None,
    ) -> None: ...

class CategoricalSplit(Message):
    feature_id: int
    value: int
    dimension_id: int
    left_id: int
    right_id: int
    def __init__(
        self,
        *,
        feature_id: _Int | None = None,
        value: _Int | None = None,
        dimension_id: _Int | None = None,
        left_id: _Int | None = None,
        right_id: _Int | None = None,
    ) -> None: ...

class DenseSplit(Message):
    feature_id: int
    threshold: float
    left_id: int
    right_id: int
    def __init__(
        self,
        *,
        feature_id: _Int | None = None,
        threshold: _Float | None = None,
        left_id: _Int | None = None,
        right_id: _Int | None = None,
    ) -> None: ...

class Tree(Message):
    nodes: RepeatedCompositeFieldContainer[Node]
    def __init__(self, *, nodes: Iterable[Node | Mapping[str, Any]] | None = None) -> None: ...

class TreeMetadata(Message):
    class PostPruneNodeUpdate(Message):
        new_node_id: int
        logit_change: RepeatedScalarFieldContainer[float]
        def __init__(
            self, *, new_node_id: _Int | None = None, logit_change: Iterable[_Float] | None = None
        ) -> None: ...

    num_layers_grown: int
    is_finalized: bool
    post_pruned_nodes_meta: RepeatedCompositeFieldContainer[TreeMetadata.PostPruneNodeUpdate]
    def __init__(
        self,
        *,
        num_layers_grown: _Int | None = None,
        is_finalized: bool | _Int | None = None,
        post_pruned_nodes_meta: Iterable[TreeMetadata.PostPruneNodeUpdate | Mapping[str, Any]] | None = None,
    ) -> None: ...

class GrowingMetadata(Message):
    num_trees_attempted: int
    num_layers_attempted: int
    last_layer_node_start: int
    last_layer_node_end: int
    def __init__(
        self,
        *,
        num_trees_attempted: _Int | None = None,
        num_layers_attempted: _Int | None = None,
        last_layer_node_start: _Int | None = None,
        last_layer_node_end: _Int | None = None,
    ) -> None: ...

class TreeEnsemble(Message):
    trees: RepeatedCompositeFieldContainer[Tree]
    tree_weights: RepeatedScalarFieldContainer[float]
    tree_metadata: RepeatedCompositeFieldContainer[TreeMetadata]
    growing_metadata: GrowingMetadata
    def __init__(
        self,
        *,
        trees: Iterable[Tree | Mapping[str, Any]] | None = None,
        tree_weights: Iterable[_Float] | None = None,
        tree_metadata: Iterable[TreeMetadata | Mapping[str, Any]] | None = None,
        growing_metadata: GrowingMetadata | Mapping[str, Any] | None = None,
    ) -> None: ...

class DebugOutput(Message):
    feature_ids: RepeatedScalarFieldContainer[int]
    logits_path: RepeatedScalarFieldContainer[float]
    def __init__(
        self, *, feature_ids: Iterable[_Int] | None = None, logits_path: Iterable[_Float] | None = None
    ) -> None: ...

class CheckpointState(Message):
    model_checkpoint_path: str
    all_model_checkpoint_paths: RepeatedScalarFieldContainer[str]
    all_model_checkpoint_timestamps: RepeatedScalarFieldContainer[float]
    last_preserved_timestamp: float
    def __init__(
        self,
        *,
        model_checkpoint_path: str | bytes | None = None,
        all_model_checkpoint_paths: Iterable[str | bytes] | None = None,
        all_model_checkpoint_timestamps: Iterable[_Float] | None = None,
        last_preserved_timestamp: _Float | None = None,
    ) -> None: ...

class JobDef(Message):
    name: str
    tasks: ScalarMap[int, str]
    def __init__(self, *, name: str | bytes | None = None, tasks: Mapping[int, str | bytes] | None = None) -> None: ...

class ClusterDef(Message):
    job: RepeatedCompositeFieldContainer[JobDef]
    def __init__(self, *, job: Iterable[JobDef | Mapping[str, Any]] | None = None) -> None: ...

class CostGraphDef(Message):
    class Node(Message):
        class InputInfo(Message):
            preceding_node: int
            preceding_port: int
            def __init__(self, *, preceding_node: _Int | None = None, preceding_port: _Int | None = None) -> None: ...

        class OutputInfo(Message):
            size: int
            alias_input_port: int
            shape: TensorShapeProto
            dtype: int
            def __init__(
                self,
                *,
                size: _Int | None = None,
                alias_input_port: _Int | None = None,
                shape: TensorShapeProto | Mapping[str, Any] | None = None,
                dtype: _Int | str | None = None,
            ) -> None: ...

        name: str
        device: str
        id: int
        input_info: RepeatedCompositeFieldContainer[CostGraphDef.Node.InputInfo]
        output_info: RepeatedCompositeFieldContainer[CostGraphDef.Node.OutputInfo]
        temporary_memory_size: int
        is_final: bool
        control_input: RepeatedScalarFieldContainer[int]
        compute_cost: int
        host_temp_memory_size: int
        device_temp_memory_size: int
        persistent_memory_size: int
        compute_time: int
        memory_time: int
        device_persistent_memory_size: int
        inaccurate: bool
        def __init__(
            self,
            *,
            name: str | bytes | None = None,
            device: str | bytes | None = None,
            id: _Int | None = None,
            input_info: Iterable[CostGraphDef.Node.InputInfo | Mapping[str, Any]] | None = None,
            output_info: Iterable[CostGraphDef.Node.OutputInfo | Mapping[str, Any]] | None = None,
            temporary_memory_size: _Int | None = None,
            is_final: bool | _Int | None = None,
            control_input: Iterable[_Int] | None = None,
            compute_cost: _Int | None = None,
            host_temp_memory_size: _Int | None = None,
            device_temp_memory_size: _Int | None = None,
            persistent_memory_size: _Int | None = None,
            compute_time: _Int | None = None,
            memory_time: _Int | None = None,
            device_persistent_memory_size: _Int | None = None,
            inaccurate: bool | _Int | None = None,
        ) -> None: ...

    class AggregatedCost(Message):
        cost: float
        dimension: str
        def __init__(self, *, cost: _Float | None = None, dimension: str | bytes | None = None) -> None: ...

    node: RepeatedCompositeFieldContainer[CostGraphDef.Node]
    cost: RepeatedCompositeFieldContainer[CostGraphDef.AggregatedCost]
    def __init__(
        self,
        *,
        node: Iterable[CostGraphDef.Node | Mapping[str, Any]] | None = None,
        cost: Iterable[CostGraphDef.AggregatedCost | Mapping[str, Any]] | None = None,
    ) -> None: ...

class DebugTensorWatch(Message):
    node_name: str
    output_slot: int
    debug_ops: RepeatedScalarFieldContainer[str]
    debug_urls: RepeatedScalarFieldContainer[str]
    tolerate_debug_op_creation_failures: bool
    def __init__(
        self,
        *,
        node_name: str | bytes | None = None,
        output_slot: _Int | None = None,
        debug_ops: Iterable[str | bytes] | None = None,
        debug_urls: Iterable[str | bytes] | None = None,
        tolerate_debug_op_creation_failures: bool | _Int | None = None,
    ) -> None: ...

class DebugOptions(Message):
    debug_tensor_watch_opts: RepeatedCompositeFieldContainer[DebugTensorWatch]
    global_step: int
    reset_disk_byte_usage: bool
    def __init__(
        self,
        *,
        debug_tensor_watch_opts: Iterable[DebugTensorWatch | Mapping[str, Any]] | None = None,
        global_step: _Int | None = None,
        reset_disk_byte_usage: bool | _Int | None = None,
    ) -> None: ...

class DebuggedSourceFile(Message):
    host: str
    file_path: str
    last_modified: int
    bytes: int
    lines: RepeatedScalarFieldContainer[str]
    def __init__(
        self,
        *,
        host: str | builtins.bytes | None = None,
        file_path: str | builtins.bytes | None = None,
        last_modified: _Int | None = None,
        bytes: _Int | None = None,
        lines: Iterable[str | builtins.bytes] | None = None,
    ) -> None: ...

class DebuggedSourceFiles(Message):
    source_files: RepeatedCompositeFieldContainer[DebuggedSourceFile]
    def __init__(self, *, source_files: Iterable[DebuggedSourceFile | Mapping[str, Any]] | None = None) -> None: ...

class FullTypeDef(Message):
    type_id: int
    args: RepeatedCompositeFieldContainer[FullTypeDef]
    s: str
    i: int
    def __init__(
        self,
        *,
        type_id: _Int | str | None = None,
        args: Iterable[FullTypeDef | Mapping[str, Any]] | None = None,
        s: str | bytes | None = None,
        i: _Int | None = None,
    ) -> None: ...

class NodeDef(Message):
    class ExperimentalDebugInfo(Message):
        original_node_names: RepeatedScalarFieldContainer[str]
        original_func_names: RepeatedScalarFieldContainer[str]
        def __init__(
            self,
            *,
            original_node_names: Iterable[str | bytes] | None = None,
            original_func_names: Iterable[str | bytes] | None = None,
        ) -> None: ...

    name: str
    op: str
    input: RepeatedScalarFieldContainer[str]
    device: str
    attr: MessageMap[str, AttrValue]
    experimental_debug_info: NodeDef.ExperimentalDebugInfo
    experimental_type: FullTypeDef
    def __init__(
        self,
        *,
        name: str | bytes | None = None,
        op: str | bytes | None = None,
        input: Iterable[str | bytes] | None = None,
        device: str | bytes | None = None,
        attr: Mapping[str, AttrValue | Mapping[str, Any]] | None = None,
        experimental_debug_info: NodeDef.ExperimentalDebugInfo | Mapping[str, Any] | None = None,
        experimental_type: FullTypeDef | Mapping[str, Any] | None = None,
    ) -> None: ...

class OpDef(Message):
    class ArgDef(Message):
        name: str
        description: str
        type: int
        type_attr: str
        number_attr: str
        type_list_attr: str
        handle_data: RepeatedCompositeFieldContainer[ResourceHandleProto.DtypeAndShape]
        is_ref: bool
        experimental_full_type: FullTypeDef
        def __init__(
            self,
            *,
            name: str | bytes | None = None,
            description: str | bytes | None = None,
            type: _Int | str | None = None,
            type_attr: str | bytes | None = None,
            number_attr: str | bytes | None = None,
            type_list_attr: str | bytes | None = None,
            handle_data: Iterable[ResourceHandleProto.DtypeAndShape | Mapping[str, Any]] | None = None,
            is_ref: bool | _Int | None = None,
            experimental_full_type: FullTypeDef | Mapping[str, Any] | None = None,
        ) -> None: ...

    class AttrDef(Message):
        name: str
        type: str
        default_value: AttrValue
        description: str
        has_minimum: bool
        minimum: int
        allowed_values: AttrValue
        def __init__(
            self,
            *,
            name: str | bytes | None = None,
            type: str | bytes | None = None,
            default_value: AttrValue | Mapping[str, Any] | None = None,
            description: str | bytes | None = None,
            has_minimum: bool | _Int | None = None,
            minimum: _Int | None = None,
            allowed_values: AttrValue | Mapping[str, Any] | None = None,
        ) -> None: ...

    name: str
    input_arg: RepeatedCompositeFieldContainer[OpDef.ArgDef]
    output_arg: RepeatedCompositeFieldContainer[OpDef.ArgDef]
    attr: RepeatedCompositeFieldContainer[OpDef.AttrDef]
    summary: str
    description: str
    deprecation: OpDeprecation
    is_aggregate: bool
    is_stateful: bool
    is_commutative: bool
    allows_uninitialized_input: bool
    control_output: RepeatedScalarFieldContainer[str]
    is_distributed_communication: bool
    def __init__(
        self,
        *,
        name: str | bytes | None = None,
        input_arg: Iterable[OpDef.ArgDef | Mapping[str, Any]] | None = None,
        output_arg: Iterable[OpDef.ArgDef | Mapping[str, Any]] | None = None,
        attr: Iterable[OpDef.AttrDef | Mapping[str, Any]] | None = None,
        summary: str | bytes | None = None,
        description: str | bytes | None = None,
        deprecation: OpDeprecation | Mapping[str, Any] | None = None,
        is_aggregate: bool | _Int | None = None,
        is_stateful: bool | _Int | None = None,
        is_commutative: bool | _Int | None = None,
        allows_uninitialized_input: bool | _Int | None = None,
        control_output: Iterable[str | bytes] | None = None,
        is_distributed_communication: bool | _Int | None = None,
    ) -> None: ...

class OpDeprecation(Message):
    version: int
    explanation: str
    def __init__(self, *, version: _Int | None = None, explanation: str | bytes | None = None) -> None: ...

class OpList(Message):
    op: RepeatedCompositeFieldContainer[OpDef]
    def __init__(self, *, op: Iterable[OpDef | Mapping[str, Any]] | None = None) -> None: ...

class FunctionDefLibrary(Message):
    function: RepeatedCompositeFieldContainer[FunctionDef]
    gradient: RepeatedCompositeFieldContainer[GradientDef]
    registered_gradients: RepeatedCompositeFieldContainer[RegisteredGradient]
    def __init__(
        self,
        *,
        function: Iterable[FunctionDef | Mapping[str, Any]] | None = None,
        gradient: Iterable[GradientDef | Mapping[str, Any]] | None = None,
        registered_gradients: Iterable[RegisteredGradient | Mapping[str, Any]] | None = None,
    ) -> None: ...

class FunctionDef(Message):
    class ArgAttrs(Message):
        attr: MessageMap[str, AttrValue]
        def __init__(self, *, attr: Mapping[str, AttrValue | Mapping[str, Any]] | None = None) -> None: ...

    signature: OpDef
    node_def: RepeatedCompositeFieldContainer[NodeDef]
    ret: ScalarMap[str, str]
    attr: MessageMap[str, AttrValue]
    control_ret: ScalarMap[str, str]
    arg_attr: MessageMap[int, FunctionDef.ArgAttrs]
    resource_arg_unique_id: ScalarMap[int, int]
    def __init__(
        self,
        *,
        signature: OpDef | Mapping[str, Any] | None = None,
        node_def: Iterable[NodeDef | Mapping[str, Any]] | None = None,
        ret: Mapping[str, str | bytes] | None = None,
        attr: Mapping[str, AttrValue | Mapping[str, Any]] | None = None,
        control_ret: Mapping[str, str | bytes] | None = None,
        arg_attr: Mapping[int, FunctionDef.ArgAttrs | Mapping[str, Any]] | None = None,
        resource_arg_unique_id: Mapping[int, _Int] | None = None,
    ) -> None: ...

class GradientDef(Message):
    function_name: str
    gradient_func: str
    def __init__(
        self, *, function_name: str | bytes | None = None, gradient_func: str | bytes | None = None
    ) -> None: ...

class RegisteredGradient(Message):
    gradient_func: str
    registered_op_type: str
    def __init__(
        self, *, gradient_func: str | bytes | None = None, registered_op_type: str | bytes | None = None
    ) -> None: ...

class GraphDebugInfo(Message):
    class FileLineCol(Message):
        file_index: int
        line: int
        col: int
        func: str
        code: str
        def __init__(
            self,
            *,
            file_index: _Int | None = None,
            line: _Int | None = None,
            col: _Int | None = None,
            func: str | bytes | None = None,
            code: str | bytes | None = None,
        ) -> None: ...

    class StackTrace(Message):
        file_line_cols: RepeatedCompositeFieldContainer[GraphDebugInfo.FileLineCol]
        frame_id: RepeatedScalarFieldContainer[int]
        def __init__(
            self,
            *,
            file_line_cols: Iterable[GraphDebugInfo.FileLineCol | Mapping[str, Any]] | None = None,
            frame_id: Iterable[_Int] | None = None,
        ) -> None: ...

    files: RepeatedScalarFieldContainer[str]
    traces: MessageMap[str, GraphDebugInfo.StackTrace]
    frames_by_id: MessageMap[int, GraphDebugInfo.FileLineCol]
    name_to_trace_id: ScalarMap[str, int]
    traces_by_id: MessageMap[int, GraphDebugInfo.StackTrace]
    def __init__(
        self,
        *,
        files: Iterable[str | bytes] | None = None,
        traces: Mapping[str, GraphDebugInfo.StackTrace | Mapping[str, Any]] | None = None,
        frames_by_id: Mapping[int, GraphDebugInfo.FileLineCol | Mapping[str, Any]] | None = None,
        name_to_trace_id: Mapping[str, _Int] | None = None,
        traces_by_id: Mapping[int, GraphDebugInfo.StackTrace | Mapping[str, Any]] | None = None,
    ) -> None: ...

class VersionDef(Message):
    producer: int
    min_consumer: int
    bad_consumers: RepeatedScalarFieldContainer[int]
    def __init__(
        self,
        *,
        producer: _Int | None = None,
        min_consumer: _Int | None = None,
        bad_consumers: Iterable[_Int] | None = None,
    ) -> None: ...

class GraphDef(Message):
    node: RepeatedCompositeFieldContainer[NodeDef]
    library: FunctionDefLibrary
    version: int
    versions: VersionDef
    debug_info: GraphDebugInfo
    def __init__(
        self,
        *,
        node: Iterable[NodeDef | Mapping[str, Any]] | None = None,
        library: FunctionDefLibrary | Mapping[str, Any] | None = None,
        version: _Int | None = None,
        versions: VersionDef | Mapping[str, Any] | None = None,
        debug_info: GraphDebugInfo | Mapping[str, Any] | None = None,
    ) -> None: ...

class VerifierConfig(Message):
    Toggle: EnumTypeWrapper
    DEFAULT: int
    ON: int
    OFF: int
    verification_timeout_in_ms: int
    structure_verifier: int
    def __init__(
        self, *, verification_timeout_in_ms: _Int | None = None, structure_verifier: _Int | str | None = None
    ) -> None: ...

class AutoParallelOptions(Message):
    enable: bool
    num_replicas: int
    def __init__(self, *, enable: bool | _Int | None = None, num_replicas: _Int | None = None) -> None: ...

class ScopedAllocatorOptions(Message):
    enable_op: RepeatedScalarFieldContainer[str]
    def __init__(self, *, enable_op: Iterable[str | bytes] | None = None) -> None: ...

class RewriterConfig(Message):
    class CustomGraphOptimizer(Message):
        name: str
        parameter_map: MessageMap[str, AttrValue]
        def __init__(
            self,
            *,
            name: str | bytes | None = None,
            parameter_map: Mapping[str, AttrValue | Mapping[str, Any]] | None = None,
        ) -> None: ...

    Toggle: EnumTypeWrapper
    DEFAULT: int
    ON: int
    OFF: int
    AGGRESSIVE: int
    EXPERIMENTAL_MLIR: int
    EXPERIMENTAL_BOTH: int
    CpuLayout: EnumTypeWrapper
    NO_CONVERSION_ON_CPU: int
    NCHW_TO_NHWC: int
    NHWC_TO_NCHW: int
    NumIterationsType: EnumTypeWrapper
    DEFAULT_NUM_ITERS: int
    ONE: int
    TWO: int
    MemOptType: EnumTypeWrapper
    DEFAULT_MEM_OPT: int
    NO_MEM_OPT: int
    MANUAL: int
    HEURISTICS: int
    SWAPPING_HEURISTICS: int
    RECOMPUTATION_HEURISTICS: int
    SCHEDULING_HEURISTICS: int
    layout_optimizer: int
    disable_model_pruning: bool
    constant_folding: int
    memory_optimization: int
    auto_parallel: AutoParallelOptions
    memory_optimizer_target_node_name_scope: str
    arithmetic_optimization: int
    dependency_optimization: int
    loop_optimization: int
    function_optimization: int
    debug_stripper: int
    meta_optimizer_iterations: int
    shape_optimization: int
    remapping: int
    scoped_allocator_optimization: int
    scoped_allocator_opts: ScopedAllocatorOptions
    min_graph_nodes: int
    pin_to_host_optimization: int
    disable_meta_optimizer: bool
    meta_optimizer_timeout_ms: int
    fail_on_optimizer_errors: bool
    implementation_selector: int
    auto_mixed_precision: int
    common_subgraph_elimination: int
    auto_mixed_precision_mkl: int
    experimental_disable_compressed_tensor_optimization: bool
    experimental_disable_folding_quantization_emulation: bool
    use_plugin_optimizers: int
    auto_mixed_precision_cpu: int
    experimental_conditional_code_motion: int
    auto_mixed_precision_onednn_bfloat16: int
    disable_tfg_optimizer: bool
    cpu_layout_conversion: int
    optimizers: RepeatedScalarFieldContainer[str]
    custom_optimizers: RepeatedCompositeFieldContainer[RewriterConfig.CustomGraphOptimizer]
    inter_optimizer_verifier_config: VerifierConfig
    post_optimization_verifier_config: VerifierConfig
    def __init__(
        self,
        *,
        layout_optimizer: _Int | str | None = None,
        disable_model_pruning: bool | _Int | None = None,
        constant_folding: _Int | str | None = None,
        memory_optimization: _Int | str | None = None,
        auto_parallel: AutoParallelOptions | Mapping[str, Any] | None = None,
        memory_optimizer_target_node_name_scope: str | bytes | None = None,
        arithmetic_optimization: _Int | str | None = None,
        dependency_optimization: _Int | str | None = None,
        loop_optimization: _Int | str | None = None,
        function_optimization: _Int | str | None = None,
        debug_stripper: _Int | str | None = None,
        meta_optimizer_iterations: _Int | str | None = None,
        shape_optimization: _Int | str | None = None,
        remapping: _Int | str | None = None,
        scoped_allocator_optimization: _Int | str | None = None,
        scoped_allocator_opts: ScopedAllocatorOptions | Mapping[str, Any] | None = None,
        min_graph_nodes: _Int | None = None,
        pin_to_host_optimization: _Int | str | None = None,
        disable_meta_optimizer: bool | _Int | None = None,
        meta_optimizer_timeout_ms: _Int | None = None,
        fail_on_optimizer_errors: bool | _Int | None = None,
        implementation_selector: _Int | str | None = None,
        auto_mixed_precision: _Int | str | None = None,
        common_subgraph_elimination: _Int | str | None = None,
        auto_mixed_precision_mkl: _Int | str | None = None,
        experimental_disable_compressed_tensor_optimization: bool | _Int | None = None,
        experimental_disable_folding_quantization_emulation: bool | _Int | None = None,
        use_plugin_optimizers: _Int | str | None = None,
        auto_mixed_precision_cpu: _Int | str | None = None,
        experimental_conditional_code_motion: _Int | str | None = None,
        auto_mixed_precision_onednn_bfloat16: _Int | str | None = None,
        disable_tfg_optimizer: bool | _Int | None = None,
        cpu_layout_conversion: _Int | str | None = None,
        optimizers: Iterable[str | bytes] | None = None,
        custom_optimizers: Iterable[RewriterConfig.CustomGraphOptimizer | Mapping[str, Any]] | None = None,
        inter_optimizer_verifier_config: VerifierConfig | Mapping[str, Any] | None = None,
        post_optimization_verifier_config: VerifierConfig | Mapping[str, Any] | None = None,
    ) -> None: ...

class TensorDescription(Message):
    dtype: int
    shape: TensorShapeProto
    allocation_description: AllocationDescription
    def __init__(
        self,
        *,
        dtype: _Int | str | None = None,
        shape: TensorShapeProto | Mapping[str, Any] | None = None,
        allocation_description: AllocationDescription | Mapping[str, Any] | None = None,
    ) -> None: ...

class AllocationRecord(Message):
    alloc_micros: int
    alloc_bytes: int
    def __init__(self, *, alloc_micros: _Int | None = None, alloc_bytes: _Int | None = None) -> None: ...

class AllocatorMemoryUsed(Message):
    allocator_name: str
    total_bytes: int
    peak_bytes: int
    live_bytes: int
    allocator_bytes_in_use: int
    allocation_records: RepeatedCompositeFieldContainer[AllocationRecord]
    def __init__(
        self,
        *,
        allocator_name: str | bytes | None = None,
        total_bytes: _Int | None = None,
        peak_bytes: _Int | None = None,
        live_bytes: _Int | None = None,
        allocator_bytes_in_use: _Int | None = None,
        allocation_records: Iterable[AllocationRecord | Mapping[str, Any]] | None = None,
    ) -> None: ...

class NodeOutput(Message):
    slot: int
    tensor_description: TensorDescription
    def __init__(
        self, *, slot: _Int | None = None, tensor_description: TensorDescription | Mapping[str, Any] | None = None
    ) -> None: ...

class MemoryStats(Message):
    temp_memory_size: int
    device_temp_memory_size: int
    persistent_memory_size: int
    device_persistent_memory_size: int
    persistent_tensor_alloc_ids: RepeatedScalarFieldContainer[int]
    device_persistent_tensor_alloc_ids: RepeatedScalarFieldContainer[int]
    def __init__(
        self,
        *,
        temp_memory_size: _Int | None = None,
        device_temp_memory_size: _Int | None = None,
        persistent_memory_size: _Int | None = None,
        device_persistent_memory_size: _Int | None = None,
        persistent_tensor_alloc_ids: Iterable[_Int] | None = None,
        device_persistent_tensor_alloc_ids: Iterable[_Int] | None = None,
    ) -> None: ...

class NodeExecStats(Message):
    node_name: str
    all_start_micros: int
    op_start_rel_micros: int
    op_end_rel_micros: int
    all_end_rel_micros: int
    memory: RepeatedCompositeFieldContainer[AllocatorMemoryUsed]
    output: RepeatedCompositeFieldContainer[NodeOutput]
    timeline_label: str
    scheduled_micros: int
    thread_id: int
    referenced_tensor: RepeatedCompositeFieldContainer[AllocationDescription]
    memory_stats: MemoryStats
    all_start_nanos: int
    op_start_rel_nanos: int
    op_end_rel_nanos: int
    all_end_rel_nanos: int
    scheduled_nanos: int
    def __init__(
        self,
        *,
        node_name: str | bytes | None = None,
        all_start_micros: _Int | None = None,
        op_start_rel_micros: _Int | None = None,
        op_end_rel_micros: _Int | None = None,
        all_end_rel_micros: _Int | None = None,
        memory: Iterable[AllocatorMemoryUsed | Mapping[str, Any]] | None = None,
        output: Iterable[NodeOutput | Mapping[str, Any]] | None = None,
        timeline_label: str | bytes | None = None,
        scheduled_micros: _Int | None = None,
        thread_id: _Int | None = None,
        referenced_tensor: Iterable[AllocationDescription | Mapping[str, Any]] | None = None,
        memory_stats: MemoryStats | Mapping[str, Any] | None = None,
        all_start_nanos: _Int | None = None,
        op_start_rel_nanos: _Int | None = None,
        op_end_rel_nanos: _Int | None = None,
        all_end_rel_nanos: _Int | None = None,
        scheduled_nanos: _Int | None = None,
    ) -> None: ...

class DeviceStepStats(Message):
    device: str
    node_stats: RepeatedCompositeFieldContainer[NodeExecStats]
    thread_names: ScalarMap[int, str]
    def __init__(
        self,
        *,
        device: str | bytes | None = None,
        node_stats: Iterable[NodeExecStats | Mapping[str, Any]] | None = None,
        thread_names: Mapping[int, str | bytes] | None = None,
    ) -> None: ...

class StepStats(Message):
    dev_stats: RepeatedCompositeFieldContainer[DeviceStepStats]
    def __init__(self, *, dev_stats: Iterable[DeviceStepStats | Mapping[str, Any]] | None = None) -> None: ...

class GPUOptions(Message):
    class Experimental(Message):
        class VirtualDevices(Message):
            memory_limit_mb: RepeatedScalarFieldContainer[float]
            priority: RepeatedScalarFieldContainer[int]
            device_ordinal: RepeatedScalarFieldContainer[int]
            def __init__(
                self,
                *,
                memory_limit_mb: Iterable[_Float] | None = None,
                priority: Iterable[_Int] | None = None,
                device_ordinal: Iterable[_Int] | None = None,
            ) -> None: ...

        class StreamMergeOptions(Message):
            merge_host_to_device_stream: bool
            merge_device_to_host_stream: bool
            merge_device_to_device_stream: bool
            def __init__(
                self,
                *,
                merge_host_to_device_stream: bool | _Int | None = None,
                merge_device_to_host_stream: bool | _Int | None = None,
                merge_device_to_device_stream: bool | _Int | None = None,
            ) -> None: ...

        virtual_devices: RepeatedCompositeFieldContainer[GPUOptions.Experimental.VirtualDevices]
        use_unified_memory: bool
        num_dev_to_dev_copy_streams: int
        collective_ring_order: str
        timestamped_allocator: bool
        kernel_tracker_max_interval: int
        kernel_tracker_max_bytes: int
        kernel_tracker_max_pending: int
        internal_fragmentation_fraction: float
        use_cuda_malloc_async: bool
        disallow_retry_on_allocation_failure: bool
        gpu_host_mem_limit_in_mb: float
        gpu_host_mem_disallow_growth: bool
        num_virtual_devices_per_gpu: int
        gpu_system_memory_size_in_mb: int
        populate_pjrt_gpu_client_creation_info: bool
        node_id: int
        stream_merge_options: GPUOptions.Experimental.StreamMergeOptions
        def __init__(
            self,
            *,
            virtual_devices: Iterable[GPUOptions.Experimental.VirtualDevices | Mapping[str, Any]] | None = None,
            use_unified_memory: bool | _Int | None = None,
            num_dev_to_dev_copy_streams: _Int | None = None,
            collective_ring_order: str | bytes | None = None,
            timestamped_allocator: bool | _Int | None = None,
            kernel_tracker_max_interval: _Int | None = None,
            kernel_tracker_max_bytes: _Int | None = None,
            kernel_tracker_max_pending: _Int | None = None,
            internal_fragmentation_fraction: _Float | None = None,
            use_cuda_malloc_async: bool | _Int | None = None,
            disallow_retry_on_allocation_failure: bool | _Int | None = None,
            gpu_host_mem_limit_in_mb: _Float | None = None,
            gpu_host_mem_disallow_growth: bool | _Int | None = None,
            num_virtual_devices_per_gpu: _Int | None = None,
            gpu_system_memory_size_in_mb: _Int | None = None,
            populate_pjrt_gpu_client_creation_info: bool | _Int | None = None,
            node_id: _Int | None = None,
            stream_merge_options: GPUOptions.Experimental.StreamMergeOptions | Mapping[str, Any] | None = None,
        ) -> None: ...

    per_process_gpu_memory_fraction: float
    allocator_type: str
    deferred_deletion_bytes: int
    allow_growth: bool
    visible_device_list: str
    polling_active_delay_usecs: int
    polling_inactive_delay_msecs: int
    force_gpu_compatible: bool
    experimental: GPUOptions.Experimental
    def __init__(
        self,
        *,
        per_process_gpu_memory_fraction: _Float | None = None,
        allocator_type: str | bytes | None = None,
        deferred_deletion_bytes: _Int | None = None,
        allow_growth: bool | _Int | None = None,
        visible_device_list: str | bytes | None = None,
        polling_active_delay_usecs: _Int | None = None,
        polling_inactive_delay_msecs: _Int | None = None,
        force_gpu_compatible: bool | _Int | None = None,
        experimental: GPUOptions.Experimental | Mapping[str, Any] | None = None,
    ) -> None: ...

class OptimizerOptions(Message):
    Level: EnumTypeWrapper
    L1: int
    L0: int
    GlobalJitLevel: EnumTypeWrapper
    DEFAULT: int
    OFF: int
    ON_1: int
    ON_2: int
    do_common_subexpression_elimination: bool
    do_constant_folding: bool
    opt_level: int
    do_function_inlining: bool
    global_jit_level: int
    max_folded_constant_in_bytes: int
    cpu_global_jit: bool
    def __init__(
        self,
        *,
        do_common_subexpression_elimination: bool | _Int | None = None,
        do_constant_folding: bool | _Int | None = None,
        opt_level: _Int | str | None = None,
        do_function_inlining: bool | _Int | None = None,
        global_jit_level: _Int | str | None = None,
        max_folded_constant_in_bytes: _Int | None = None,
        cpu_global_jit: bool | _Int | None = None,
    ) -> None: ...

class GraphOptions(Message):
    enable_recv_scheduling: bool
    optimizer_options: OptimizerOptions
    build_cost_model: int
    infer_shapes: bool
    place_pruned_graph: bool
    enable_bfloat16_sendrecv: bool
    timeline_step: int
    build_cost_model_after: int
    rewrite_options: RewriterConfig
    def __init__(
        self,
        *,
        enable_recv_scheduling: bool | _Int | None = None,
        optimizer_options: OptimizerOptions | Mapping[str, Any] | None = None,
        build_cost_model: _Int | None = None,
        infer_shapes: bool | _Int | None = None,
        place_pruned_graph: bool | _Int | None = None,
        enable_bfloat16_sendrecv: bool | _Int | None = None,
        timeline_step: _Int | None = None,
        build_cost_model_after: _Int | None = None,
        rewrite_options: RewriterConfig | Mapping[str, Any] | None = None,
    ) -> None: ...

class ThreadPoolOptionProto(Message):
    num_threads: int
    global_name: str
    def __init__(self, *, num_threads: _Int | None = None, global_name: str | bytes | None = None) -> None: ...

class SessionMetadata(Message):
    name: str
    version: int
    def __init__(self, *, name: str | bytes | None = None, version: _Int | None = None) -> None: ...

class ConfigProto(Message):
    class Experimental(Message):
        MlirBridgeRollout: EnumTypeWrapper
        MLIR_BRIDGE_ROLLOUT_UNSPECIFIED: int
        MLIR_BRIDGE_ROLLOUT_ENABLED: int
        MLIR_BRIDGE_ROLLOUT_DISABLED: int
        collective_group_leader: str
        executor_type: str
        recv_buf_max_chunk: int
        use_numa_affinity: bool
        collective_deterministic_sequential_execution: bool
        collective_nccl: bool
        share_session_state_in_clusterspec_propagation: bool
        disable_thread_spinning: bool
        share_cluster_devices_in_session: bool
        session_metadata: SessionMetadata
        optimize_for_static_graph: bool
        enable_mlir_bridge: bool
        disable_output_partition_graphs: bool
        xla_fusion_autotuner_thresh: int
        enable_mlir_graph_optimization: bool
        mlir_bridge_rollout: int
        use_tfrt: bool
        disable_functional_ops_lowering: bool
        xla_prefer_single_graph_cluster: bool
        disable_optimize_for_static_graph: bool
        disable_eager_executor_streaming_enqueue: bool
        enable_multi_host: bool
        backend_server_port: int
        target_tpu: bool
        target_gpu: bool
        stream_merge_threshold: int
        tfrt_use_ifrt: bool
        finalize_function_library_runtime: bool
        finalize_resource_manager: bool
        tf2xla_dump_dir: str
        online_cost_analysis: bool
        def __init__(
            self,
            *,
            collective_group_leader: str | bytes | None = None,
            executor_type: str | bytes | None = None,
            recv_buf_max_chunk: _Int | None = None,
            use_numa_affinity: bool | _Int | None = None,
            collective_deterministic_sequential_execution: bool | _Int | None = None,
            collective_nccl: bool | _Int | None = None,
            share_session_state_in_clusterspec_propagation: bool | _Int | None = None,
            disable_thread_spinning: bool | _Int | None = None,
            share_cluster_devices_in_session: bool | _Int | None = None,
            session_metadata: SessionMetadata | Mapping[str, Any] | None = None,
            optimize_for_static_graph: bool | _Int | None = None,
            enable_mlir_bridge: bool | _Int | None = None,
            disable_output_partition_graphs: bool | _Int | None = None,
            xla_fusion_autotuner_thresh: _Int | None = None,
            enable_mlir_graph_optimization: bool | _Int | None = None,
            mlir_bridge_rollout: _Int | str | None = None,
            use_tfrt: bool | _Int | None = None,
            disable_functional_ops_lowering: bool | _Int | None = None,
            xla_prefer_single_graph_cluster: bool | _Int | None = None,
            disable_optimize_for_static_graph: bool | _Int | None = None,
            disable_eager_executor_streaming_enqueue: bool | _Int | None = None,
            enable_multi_host: bool | _Int | None = None,
            backend_server_port: _Int | None = None,
            target_tpu: bool | _Int | None = None,
            target_gpu: bool | _Int | None = None,
            stream_merge_threshold: _Int | None = None,
            tfrt_use_ifrt: bool | _Int | None = None,
            finalize_function_library_runtime: bool | _Int | None = None,
            finalize_resource_manager: bool | _Int | None = None,
            tf2xla_dump_dir: str | bytes | None = None,
            online_cost_analysis: bool | _Int | None = None,
        ) -> None: ...

    device_count: ScalarMap[str, int]
    intra_op_parallelism_threads: int
    placement_period: int
    device_filters: RepeatedScalarFieldContainer[str]
    inter_op_parallelism_threads: int
    gpu_options: GPUOptions
    allow_soft_placement: bool
    log_device_placement: bool
    use_per_session_threads: bool
    graph_options: GraphOptions
    operation_timeout_in_ms: int
    session_inter_op_thread_pool: RepeatedCompositeFieldContainer[ThreadPoolOptionProto]
    rpc_options: RPCOptions
    cluster_def: ClusterDef
    isolate_session_state: bool
    experimental: ConfigProto.Experimental
    share_cluster_devices_in_session: bool
    pluggable_device_options: GPUOptions
    def __init__(
        self,
        *,
        device_count: Mapping[str, _Int] | None = None,
        intra_op_parallelism_threads: _Int | None = None,
        placement_period: _Int | None = None,
        device_filters: Iterable[str | bytes] | None = None,
        inter_op_parallelism_threads: _Int | None = None,
        gpu_options: GPUOptions | Mapping[str, Any] | None = None,
        allow_soft_placement: bool | _Int | None = None,
        log_device_placement: bool | _Int | None = None,
        use_per_session_threads: bool | _Int | None = None,
        graph_options: GraphOptions | Mapping[str, Any] | None = None,
        operation_timeout_in_ms: _Int | None = None,
        session_inter_op_thread_pool: Iterable[ThreadPoolOptionProto | Mapping[str, Any]] | None = None,
        rpc_options: RPCOptions | Mapping[str, Any] | None = None,
        cluster_def: ClusterDef | Mapping[str, Any] | None = None,
        isolate_session_state: bool | _Int | None = None,
        experimental: ConfigProto.Experimental | Mapping[str, Any] | None = None,
        share_cluster_devices_in_session: bool | _Int | None = None,
        pluggable_device_options: GPUOptions | Mapping[str, Any] | None = None,
    ) -> None: ...

class RunOptions(Message):
    class Experimental(Message):
        class RunHandlerPoolOptions(Message):
            priority: int
            def __init__(self, *, priority: _Int | None = None) -> None: ...

        collective_graph_key: int
        use_run_handler_pool: bool
        run_handler_pool_options: RunOptions.Experimental.RunHandlerPoolOptions
        def __init__(
            self,
            *,
            collective_graph_key: _Int | None = None,
            use_run_handler_pool: bool | _Int | None = None,
            run_handler_pool_options: RunOptions.Experimental.RunHandlerPoolOptions | Mapping[str, Any] | None = None,
        ) -> None: ...

    TraceLevel: EnumTypeWrapper
    NO_TRACE: int
    SOFTWARE_TRACE: int
    HARDWARE_TRACE: int
    FULL_TRACE: int
    trace_level: int
    timeout_in_ms: int
    inter_op_thread_pool: int
    output_partition_graphs: bool
    debug_options: DebugOptions
    report_tensor_allocations_upon_oom: bool
    experimental: RunOptions.Experimental
    def __init__(
        self,
        *,
        trace_level: _Int | str | None = None,
        timeout_in_ms: _Int | None = None,
        inter_op_thread_pool: _Int | None = None,
        output_partition_graphs: bool | _Int | None = None,
        debug_options: DebugOptions | Mapping[str, Any] | None = None,
        report_tensor_allocations_upon_oom: bool | _Int | None = None,
        experimental: RunOptions.Experimental | Mapping[str, Any] | None = None,
    ) -> None: ...

class RunMetadata(Message):
    class FunctionGraphs(Message):
        partition_graphs: RepeatedCompositeFieldContainer[GraphDef]
        pre_optimization_graph: GraphDef
        post_optimization_graph: GraphDef
        def __init__(
            self,
            *,
            partition_graphs: Iterable[GraphDef | Mapping[str, Any]] | None = None,
            pre_optimization_graph: GraphDef | Mapping[str, Any] | None = None,
            post_optimization_graph: GraphDef | Mapping[str, Any] | None = None,
        ) -> None: ...

    step_stats: StepStats
    cost_graph: CostGraphDef
    partition_graphs: RepeatedCompositeFieldContainer[GraphDef]
    function_graphs: RepeatedCompositeFieldContainer[RunMetadata.FunctionGraphs]
    session_metadata: SessionMetadata
    def __init__(
        self,
        *,
        step_stats: StepStats | Mapping[str, Any] | None = None,
        cost_graph: CostGraphDef | Mapping[str, Any] | None = None,
        partition_graphs: Iterable[GraphDef | Mapping[str, Any]] | None = None,
        function_graphs: Iterable[RunMetadata.FunctionGraphs | Mapping[str, Any]] | None = None,
        session_metadata: SessionMetadata | Mapping[str, Any] | None = None,
    ) -> None: ...

class TensorConnection(Message):
    from_tensor: str
    to_tensor: str
    def __init__(self, *, from_tensor: str | bytes | None = None, to_tensor: str | bytes | None = None) -> None: ...

class CallableOptions(Message):
    feed: RepeatedScalarFieldContainer[str]
    fetch: RepeatedScalarFieldContainer[str]
    target: RepeatedScalarFieldContainer[str]
    run_options: RunOptions
    tensor_connection: RepeatedCompositeFieldContainer[TensorConnection]
    feed_devices: ScalarMap[str, str]
    fetch_devices: ScalarMap[str, str]
    fetch_skip_sync: bool
    def __init__(
        self,
        *,
        feed: Iterable[str | bytes] | None = None,
        fetch: Iterable[str | bytes] | None = None,
        target: Iterable[str | bytes] | None = None,
        run_options: RunOptions | Mapping[str, Any] | None = None,
        tensor_connection: Iterable[TensorConnection | Mapping[str, Any]] | None = None,
        feed_devices: Mapping[str, str | bytes] | None = None,
        fetch_devices: Mapping[str, str | bytes] | None = None,
        fetch_skip_sync: bool | _Int | None = None,
    ) -> None: ...

class RPCOptions(Message):
    use_rpc_for_inprocess_master: bool
    compression_algorithm: str
    compression_level: int
    cache_rpc_response: bool
    disable_session_connection_sharing: bool
    num_channels_per_target: int
    def __init__(
        self,
        *,
        use_rpc_for_inprocess_master: bool | _Int | None = None,
        compression_algorithm: str | bytes | None = None,
        compression_level: _Int | None = None,
        cache_rpc_response: bool | _Int | None = None,
        disable_session_connection_sharing: bool | _Int | None = None,
        num_channels_per_target: _Int | None = None,
    ) -> None: ...

class ValuesDef(Message):
    values: RepeatedScalarFieldContainer[str]
    external_values: ScalarMap[str, str]
    def __init__(
        self, *, values: Iterable[str | bytes] | None = None, external_values: Mapping[str, str | bytes] | None = None
    ) -> None: ...

class ControlFlowContextDef(Message):
    cond_ctxt: CondContextDef
    while_ctxt: WhileContextDef
    def __init__(
        self,
        *,
        cond_ctxt: CondContextDef | Mapping[str, Any] | None = None,
        while_ctxt: WhileContextDef | Mapping[str, Any] | None = None,
    ) -> None: ...

class CondContextDef(Message):
    context_name: str
    pred_name: str
    pivot_name: str
    branch: int
    values_def: ValuesDef
    nested_contexts: RepeatedCompositeFieldContainer[ControlFlowContextDef]
    def __init__(
        self,
        *,
        context_name: str | bytes | None = None,
        pred_name: str | bytes | None = None,
        pivot_name: str | bytes | None = None,
        branch: _Int | None = None,
        values_def: ValuesDef | Mapping[str, Any] | None = None,
        nested_contexts: Iterable[ControlFlowContextDef | Mapping[str, Any]] | None = None,
    ) -> None: ...

class WhileContextDef(Message):
    context_name: str
    parallel_iterations: int
    back_prop: bool
    swap_memory: bool
    pivot_name: str
    pivot_for_pred_name: str
    pivot_for_body_name: str
    loop_exit_names: RepeatedScalarFieldContainer[str]
    values_def: ValuesDef
    loop_enter_names: RepeatedScalarFieldContainer[str]
    maximum_iterations_name: str
    nested_contexts: RepeatedCompositeFieldContainer[ControlFlowContextDef]
    def __init__(
        self,
        *,
        context_name: str | bytes | None = None,
        parallel_iterations: _Int | None = None,
        back_prop: bool | _Int | None = None,
        swap_memory: bool | _Int | None = None,
        pivot_name: str | bytes | None = None,
        pivot_for_pred_name: str | bytes | None = None,
        pivot_for_body_name: str | bytes | None = None,
        loop_exit_names: Iterable[str | bytes] | None = None,
        values_def: ValuesDef | Mapping[str, Any] | None = None,
        loop_enter_names: Iterable[str | bytes] | None = None,
        maximum_iterations_name: str | bytes | None = None,
        nested_contexts: Iterable[ControlFlowContextDef | Mapping[str, Any]] | None = None,
    ) -> None: ...

class CriticalSectionDef(Message):
    critical_section_name: str
    def __init__(self, *, critical_section_name: str | bytes | None = None) -> None: ...

class CriticalSectionExecutionDef(Message):
    execute_in_critical_section_name: str
    exclusive_resource_access: bool
    def __init__(
        self,
        *,
        execute_in_critical_section_name: str | bytes | None = None,
        exclusive_resource_access: bool | _Int | None = None,
    ) -> None: ...

class InterconnectLink(Message):
    device_id: int
    type: str
    strength: int
    def __init__(
        self, *, device_id: _Int | None = None, type: str | bytes | None = None, strength: _Int | None = None
    ) -> None: ...

class LocalLinks(Message):
    link: RepeatedCompositeFieldContainer[InterconnectLink]
    def __init__(self, *, link: Iterable[InterconnectLink | Mapping[str, Any]] | None = None) -> None: ...

class DeviceLocality(Message):
    bus_id: int
    numa_node: int
    links: LocalLinks
    def __init__(
        self,
        *,
        bus_id: _Int | None = None,
        numa_node: _Int | None = None,
        links: LocalLinks | Mapping[str, Any] | None = None,
    ) -> None: ...

class DeviceAttributes(Message):
    name: str
    device_type: str
    memory_limit: int
    locality: DeviceLocality
    incarnation: int
    physical_device_desc: str
    xla_global_id: int
    def __init__(
        self,
        *,
        name: str | bytes | None = None,
        device_type: str | bytes | None = None,
        memory_limit: _Int | None = None,
        locality: DeviceLocality | Mapping[str, Any] | None = None,
        incarnation: _Int | None = None,
        physical_device_desc: str | bytes | None = None,
        xla_global_id: _Int | None = None,
    ) -> None: ...

class TaskDeviceFilters(Message):
    device_filters: RepeatedScalarFieldContainer[str]
    def __init__(self, *, device_filters: Iterable[str | bytes] | None = None) -> None: ...

class JobDeviceFilters(Message):
    name: str
    tasks: MessageMap[int, TaskDeviceFilters]
    def __init__(
        self,
        *,
        name: str | bytes | None = None,
        tasks: Mapping[int, TaskDeviceFilters | Mapping[str, Any]] | None = None,
    ) -> None: ...

class ClusterDeviceFilters(Message):
    jobs: RepeatedCompositeFieldContainer[JobDeviceFilters]
    def __init__(self, *, jobs: Iterable[JobDeviceFilters | Mapping[str, Any]] | None = None) -> None: ...

class DeviceProperties(Message):
    type: str
    vendor: str
    model: str
    frequency: int
    num_cores: int
    environment: ScalarMap[str, str]
    num_registers: int
    l1_cache_size: int
    l2_cache_size: int
    l3_cache_size: int
    shared_memory_size_per_multiprocessor: int
    memory_size: int
    bandwidth: int
    def __init__(
        self,
        *,
        type: str | bytes | None = None,
        vendor: str | bytes | None = None,
        model: str | bytes | None = None,
        frequency: _Int | None = None,
        num_cores: _Int | None = None,
        environment: Mapping[str, str | bytes] | None = None,
        num_registers: _Int | None = None,
        l1_cache_size: _Int | None = None,
        l2_cache_size: _Int | None = None,
        l3_cache_size: _Int | None = None,
        shared_memory_size_per_multiprocessor: _Int | None = None,
        memory_size: _Int | None = None,
        bandwidth: _Int | None = None,
    ) -> None: ...

class NamedDevice(Message):
    name: str
    properties: DeviceProperties
    def __init__(
        self, *, name: str | bytes | None = None, properties: DeviceProperties | Mapping[str, Any] | None = None
    ) -> None: ...

class SummaryDescription(Message):
    type_hint: str
    def __init__(self, *, type_hint: str | bytes | None = None) -> None: ...

class SummaryMetadata(Message):
    class PluginData(Message):
        plugin_name: str
        content: bytes
        def __init__(self, *, plugin_name: str | bytes | None = None, content: bytes | None = None) -> None: ...

    plugin_data: SummaryMetadata.PluginData
    display_name: str
    summary_description: str
    data_class: int
    def __init__(
        self,
        *,
        plugin_data: SummaryMetadata.PluginData | Mapping[str, Any] | None = None,
        display_name: str | bytes | None = None,
        summary_description: str | bytes | None = None,
        data_class: _Int | str | None = None,
    ) -> None: ...

class Summary(Message):
    class Image(Message):
        height: int
        width: int
        colorspace: int
        encoded_image_string: bytes
        def __init__(
            self,
            *,
            height: _Int | None = None,
            width: _Int | None = None,
            colorspace: _Int | None = None,
            encoded_image_string: bytes | None = None,
        ) -> None: ...

    class Audio(Message):
        sample_rate: float
        num_channels: int
        length_frames: int
        encoded_audio_string: bytes
        content_type: str
        def __init__(
            self,
            *,
            sample_rate: _Float | None = None,
            num_channels: _Int | None = None,
            length_frames: _Int | None = None,
            encoded_audio_string: bytes | None = None,
            content_type: str | bytes | None = None,
        ) -> None: ...

    class Value(Message):
        tag: str
        simple_value: float
        obsolete_old_style_histogram: bytes
        image: Summary.Image
        histo: HistogramProto
        audio: Summary.Audio
        tensor: TensorProto
        node_name: str
        metadata: SummaryMetadata
        def __init__(
            self,
            *,
            tag: str | bytes | None = None,
            simple_value: _Float | None = None,
            obsolete_old_style_histogram: bytes | None = None,
            image: Summary.Image | Mapping[str, Any] | None = None,
            histo: HistogramProto | Mapping[str, Any] | None = None,
            audio: Summary.Audio | Mapping[str, Any] | None = None,
            tensor: TensorProto | Mapping[str, Any] | None = None,
            node_name: str | bytes | None = None,
            metadata: SummaryMetadata | Mapping[str, Any] | None = None,
        ) -> None: ...

    value: RepeatedCompositeFieldContainer[Summary.Value]
    def __init__(self, *, value: Iterable[Summary.Value | Mapping[str, Any]] | None = None) -> None: ...

class HistogramProto(Message):
    min: float
    max: float
    num: float
    sum: float
    sum_squares: float
    bucket_limit: RepeatedScalarFieldContainer[float]
    bucket: RepeatedScalarFieldContainer[float]
    def __init__(
        self,
        *,
        min: _Float | None = None,
        max: _Float | None = None,
        num: _Float | None = None,
        sum: _Float | None = None,
        sum_squares: _Float | None = None,
        bucket_limit: Iterable[_Float] | None = None,
        bucket: Iterable[_Float] | None = None,
    ) -> None: ...

class Event(Message):
    wall_time: float
    step: int
    file_version: str
    graph_def: bytes
    summary: Summary
    log_message: LogMessage
    session_log: SessionLog
    tagged_run_metadata: TaggedRunMetadata
    meta_graph_def: bytes
    source_metadata: SourceMetadata
    def __init__(
        self,
        *,
        wall_time: _Float | None = None,
        step: _Int | None = None,
        file_version: str | bytes | None = None,
        graph_def: bytes | None = None,
        summary: Summary | Mapping[str, Any] | None = None,
        log_message: LogMessage | Mapping[str, Any] | None = None,
        session_log: SessionLog | Mapping[str, Any] | None = None,
        tagged_run_metadata: TaggedRunMetadata | Mapping[str, Any] | None = None,
        meta_graph_def: bytes | None = None,
        source_metadata: SourceMetadata | Mapping[str, Any] | None = None,
    ) -> None: ...

class SourceMetadata(Message):
    writer: str
    def __init__(self, *, writer: str | bytes | None = None) -> None: ...

class LogMessage(Message):
    Level: EnumTypeWrapper
    UNKNOWN: int
    DEBUGGING: int
    INFO: int
    WARN: int
    ERROR: int
    FATAL: int
    level: int
    message: str
    def __init__(self, *, level: _Int | str | None = None, message: str | bytes | None = None) -> None: ...

class SessionLog(Message):
    SessionStatus: EnumTypeWrapper
    STATUS_UNSPECIFIED: int
    START: int
    STOP: int
    CHECKPOINT: int
    status: int
    checkpoint_path: str
    msg: str
    def __init__(
        self,
        *,
        status: _Int | str | None = None,
        checkpoint_path: str | bytes | None = None,
        msg: str | bytes | None = None,
    ) -> None: ...

class TaggedRunMetadata(Message):
    tag: str
    run_metadata: bytes
    def __init__(self, *, tag: str | bytes | None = None, run_metadata: bytes | None = None) -> None: ...

class WatchdogConfig(Message):
    timeout_ms: int
    def __init__(self, *, timeout_ms: _Int | None = None) -> None: ...

class RequestedExitCode(Message):
    exit_code: int
    def __init__(self, *, exit_code: _Int | None = None) -> None: ...

class WorkerHeartbeatRequest(Message):
    shutdown_mode: int
    watchdog_config: WatchdogConfig
    exit_code: RequestedExitCode
    def __init__(
        self,
        *,
        shutdown_mode: _Int | str | None = None,
        watchdog_config: WatchdogConfig | Mapping[str, Any] | None = None,
        exit_code: RequestedExitCode | Mapping[str, Any] | None = None,
    ) -> None: ...

class WorkerHeartbeatResponse(Message):
    health_status: int
    worker_log: RepeatedCompositeFieldContainer[Event]
    hostname: str
    def __init__(
        self,
        *,
        health_status: _Int | str | None = None,
        worker_log: Iterable[Event | Mapping[str, Any]] | None = None,
        hostname: str | bytes | None = None,
    ) -> None: ...

class BytesList(Message):
    value: RepeatedScalarFieldContainer[bytes]
    def __init__(self, *, value: Iterable[bytes] | None = None) -> None: ...

class FloatList(Message):
    value: RepeatedScalarFieldContainer[float]
    def __init__(self, *, value: Iterable[_Float] | None = None) -> None: ...

class Int64List(Message):
    value: RepeatedScalarFieldContainer[int]
    def __init__(self, *, value: Iterable[_Int] | None = None) -> None: ...

class Feature(Message):
    bytes_list: BytesList
    float_list: FloatList
    int64_list: Int64List
    def __init__(
        self,
        *,
        bytes_list: BytesList | Mapping[str, Any] | None = None,
        float_list: FloatList | Mapping[str, Any] | None = None,
        int64_list: Int64List | Mapping[str, Any] | None = None,
    ) -> None: ...

class Features(Message):
    feature: MessageMap[str, Feature]
    def __init__(self, *, feature: Mapping[str, Feature | Mapping[str, Any]] | None = None) -> None: ...

class FeatureList(Message):
    feature: RepeatedCompositeFieldContainer[Feature]
    def __init__(self, *, feature: Iterable[Feature | Mapping[str, Any]] | None = None) -> None: ...

class FeatureLists(Message):
    feature_list: MessageMap[str, FeatureList]
    def __init__(self, *, feature_list: Mapping[str, FeatureList | Mapping[str, Any]] | None = None) -> None: ...

class Example(Message):
    features: Features
    def __init__(self, *, features: Features | Mapping[str, Any] | None = None) -> None: ...

class SequenceExample(Message):
    context: Features
    feature_lists: FeatureLists
    def __init__(
        self,
        *,
        context: Features | Mapping[str, Any] | None = None,
        feature_lists: FeatureLists | Mapping[str, Any] | None = None,
    ) -> None: ...

class VarLenFeatureProto(Message):
    dtype: int
    values_output_tensor_name: str
    indices_output_tensor_name: str
    shapes_output_tensor_name: str
    def __init__(
        self,
        *,
        dtype: _Int | str | None = None,
        values_output_tensor_name: str | bytes | None = None,
        indices_output_tensor_name: str | bytes | None = None,
        shapes_output_tensor_name: str | bytes | None = None,
    ) -> None: ...

class FixedLenFeatureProto(Message):
    dtype: int
    shape: TensorShapeProto
    default_value: TensorProto
    values_output_tensor_name: str
    def __init__(
        self,
        *,
        dtype: _Int | str | None = None,
        shape: TensorShapeProto | Mapping[str, Any] | None = None,
        default_value: TensorProto | Mapping[str, Any] | None = None,
        values_output_tensor_name: str | bytes | None = None,
    ) -> None: ...

class FeatureConfiguration(Message):
    fixed_len_feature: FixedLenFeatureProto
    var_len_feature: VarLenFeatureProto
    def __init__(
        self,
        *,
        fixed_len_feature: FixedLenFeatureProto | Mapping[str, Any] | None = None,
        var_len_feature: VarLenFeatureProto | Mapping[str, Any] | None = None,
    ) -> None: ...

class ExampleParserConfiguration(Message):
    feature_map: MessageMap[str, FeatureConfiguration]
    def __init__(
        self, *, feature_map: Mapping[str, FeatureConfiguration | Mapping[str, Any]] | None = None
    ) -> None: ...

class KernelDef(Message):
    class AttrConstraint(Message):
        name: str
        allowed_values: AttrValue
        def __init__(
            self, *, name: str | bytes | None = None, allowed_values: AttrValue | Mapping[str, Any] | None = None
        ) -> None: ...

    op: str
    device_type: str
    constraint: RepeatedCompositeFieldContainer[KernelDef.AttrConstraint]
    host_memory_arg: RepeatedScalarFieldContainer[str]
    label: str
    priority: int
    def __init__(
        self,
        *,
        op: str | bytes | None = None,
        device_type: str | bytes | None = None,
        constraint: Iterable[KernelDef.AttrConstraint | Mapping[str, Any]] | None = None,
        host_memory_arg: Iterable[str | bytes] | None = None,
        label: str | bytes | None = None,
        priority: _Int | None = None,
    ) -> None: ...

class KernelList(Message):
    kernel: RepeatedCompositeFieldContainer[KernelDef]
    def __init__(self, *, kernel: Iterable[KernelDef | Mapping[str, Any]] | None = None) -> None: ...

class MemoryLogStep(Message):
    step_id: int
    handle: str
    def __init__(self, *, step_id: _Int | None = None, handle: str | bytes | None = None) -> None: ...

class MemoryLogTensorAllocation(Message):
    step_id: int
    kernel_name: str
    tensor: TensorDescription
    def __init__(
        self,
        *,
        step_id: _Int | None = None,
        kernel_name: str | bytes | None = None,
        tensor: TensorDescription | Mapping[str, Any] | None = None,
    ) -> None: ...

class MemoryLogTensorDeallocation(Message):
    allocation_id: int
    allocator_name: str
    def __init__(self, *, allocation_id: _Int | None = None, allocator_name: str | bytes | None = None) -> None: ...

class MemoryLogTensorOutput(Message):
    step_id: int
    kernel_name: str
    index: int
    tensor: TensorDescription
    def __init__(
        self,
        *,
        step_id: _Int | None = None,
        kernel_name: str | bytes | None = None,
        index: _Int | None = None,
        tensor: TensorDescription | Mapping[str, Any] | None = None,
    ) -> None: ...

class MemoryLogRawAllocation(Message):
    step_id: int
    operation: str
    num_bytes: int
    ptr: int
    allocation_id: int
    allocator_name: str
    def __init__(
        self,
        *,
        step_id: _Int | None = None,
        operation: str | bytes | None = None,
        num_bytes: _Int | None = None,
        ptr: _Int | None = None,
        allocation_id: _Int | None = None,
        allocator_name: str | bytes | None = None,
    ) -> None: ...

class MemoryLogRawDeallocation(Message):
    step_id: int
    operation: str
    allocation_id: int
    allocator_name: str
    deferred: bool
    def __init__(
        self,
        *,
        step_id: _Int | None = None,
        operation: str | bytes | None = None,
        allocation_id: _Int | None = None,
        allocator_name: str | bytes | None = None,
        deferred: bool | _Int | None = None,
    ) -> None: ...

class SaverDef(Message):
    CheckpointFormatVersion: EnumTypeWrapper
    LEGACY: int
    V1: int
    V2: int
    filename_tensor_name: str
    save_tensor_name: str
    restore_op_name: str
    max_to_keep: int
    sharded: bool
    keep_checkpoint_every_n_hours: float
    version: int
    def __init__(
        self,
        *,
        filename_tensor_name: str | bytes | None = None,
        save_tensor_name: str | bytes | None = None,
        restore_op_name: str | bytes | None = None,
        max_to_keep: _Int | None = None,
        sharded: bool | _Int | None = None,
        keep_checkpoint_every_n_hours: _Float | None = None,
        version: _Int | str | None = None,
    ) -> None: ...

class MetaGraphDef(Message):
    class MetaInfoDef(Message):
        meta_graph_version: str
        stripped_op_list: OpList
        any_info: Message
        tags: RepeatedScalarFieldContainer[str]
        tensorflow_version: str
        tensorflow_git_version: str
        stripped_default_attrs: bool
        function_aliases: ScalarMap[str, str]
        def __init__(
            self,
            *,
            meta_graph_version: str | bytes | None = None,
            stripped_op_list: OpList | Mapping[str, Any] | None = None,
            any_info: Message | Mapping[str, Any] | None = None,
            tags: Iterable[str | bytes] | None = None,
            tensorflow_version: str | bytes | None = None,
            tensorflow_git_version: str | bytes | None = None,
            stripped_default_attrs: bool | _Int | None = None,
            function_aliases: Mapping[str, str | bytes] | None = None,
        ) -> None: ...

    meta_info_def: MetaGraphDef.MetaInfoDef
    graph_def: GraphDef
    saver_def: SaverDef
    collection_def: MessageMap[str, CollectionDef]
    signature_def: MessageMap[str, SignatureDef]
    asset_file_def: RepeatedCompositeFieldContainer[AssetFileDef]
    def __init__(
        self,
        *,
        meta_info_def: MetaGraphDef.MetaInfoDef | Mapping[str, Any] | None = None,
        graph_def: GraphDef | Mapping[str, Any] | None = None,
        saver_def: SaverDef | Mapping[str, Any] | None = None,
        collection_def: Mapping[str, CollectionDef | Mapping[str, Any]] | None = None,
        signature_def: Mapping[str, SignatureDef | Mapping[str, Any]] | None = None,
        asset_file_def: Iterable[AssetFileDef | Mapping[str, Any]] | None = None,
    ) -> None: ...

class CollectionDef(Message):
    class NodeList(Message):
        value: RepeatedScalarFieldContainer[str]
        def __init__(self, *, value: Iterable[str | bytes] | None = None) -> None: ...

    class BytesList(Message):
        value: RepeatedScalarFieldContainer[bytes]
        def __init__(self, *, value: Iterable[bytes] | None = None) -> None: ...

    class Int64List(Message):
        value: RepeatedScalarFieldContainer[int]
        def __init__(self, *, value: Iterable[_Int] | None = None) -> None: ...

    class FloatList(Message):
        value: RepeatedScalarFieldContainer[float]
        def __init__(self, *, value: Iterable[_Float] | None = None) -> None: ...

    class AnyList(Message):
        value: RepeatedCompositeFieldContainer[Message]
        def __init__(self, *, value: Iterable[Message | Mapping[str, Any]] | None = None) -> None: ...

    node_list: CollectionDef.NodeList
    bytes_list: CollectionDef.BytesList
    int64_list: CollectionDef.Int64List
    float_list: CollectionDef.FloatList
    any_list: CollectionDef.AnyList
    def __init__(
        self,
        *,
        node_list: CollectionDef.NodeList | Mapping[str, Any] | None = None,
        bytes_list: CollectionDef.BytesList | Mapping[str, Any] | None = None,
        int64_list: CollectionDef.Int64List | Mapping[str, Any] | None = None,
        float_list: CollectionDef.FloatList | Mapping[str, Any] | None = None,
        any_list: CollectionDef.AnyList | Mapping[str, Any] | None = None,
    ) -> None: ...

class TensorInfo(Message):
    class CooSparse(Message):
        values_tensor_name: str
        indices_tensor_name: str
        dense_shape_tensor_name: str
        def __init__(
            self,
            *,
            values_tensor_name: str | bytes | None = None,
            indices_tensor_name: str | bytes | None = None,
            dense_shape_tensor_name: str | bytes | None = None,
        ) -> None: ...

    name: str
    coo_sparse: TensorInfo.CooSparse
    dtype: int
    tensor_shape: TensorShapeProto
    def __init__(
        self,
        *,
        name: str | bytes | None = None,
        coo_sparse: TensorInfo.CooSparse | Mapping[str, Any] | None = None,
        dtype: _Int | str | None = None,
        tensor_shape: TensorShapeProto | Mapping[str, Any] | None = None,
    ) -> None: ...

class SignatureDef(Message):
    inputs: MessageMap[str, TensorInfo]
    outputs: MessageMap[str, TensorInfo]
    method_name: str
    defaults: MessageMap[str, TensorProto]
    def __init__(
        self,
        *,
        inputs: Mapping[str, TensorInfo | Mapping[str, Any]] | None = None,
        outputs: Mapping[str, TensorInfo | Mapping[str, Any]] | None = None,
        method_name: str | bytes | None = None,
        defaults: Mapping[str, TensorProto | Mapping[str, Any]] | None = None,
    ) -> None: ...

class AssetFileDef(Message):
    tensor_info: TensorInfo
    filename: str
    def __init__(
        self, *, tensor_info: TensorInfo | Mapping[str, Any] | None = None, filename: str | bytes | None = None
    ) -> None: ...

class NamedTensorProto(Message):
    name: str
    tensor: TensorProto
    def __init__(
        self, *, name: str | bytes | None = None, tensor: TensorProto | Mapping[str, Any] | None = None
    ) -> None: ...

class SpriteMetadata(Message):
    image_path: str
    single_image_dim: RepeatedScalarFieldContainer[int]
    def __init__(
        self, *, image_path: str | bytes | None = None, single_image_dim: Iterable[_Int] | None = None
    ) -> None: ...

class EmbeddingInfo(Message):
    tensor_name: str
    metadata_path: str
    bookmarks_path: str
    tensor_shape: RepeatedScalarFieldContainer[int]
    sprite: SpriteMetadata
    tensor_path: str
    def __init__(
        self,
        *,
        tensor_name: str | bytes | None = None,
        metadata_path: str | bytes | None = None,
        bookmarks_path: str | bytes | None = None,
        tensor_shape: Iterable[_Int] | None = None,
        sprite: SpriteMetadata | Mapping[str, Any] | None = None,
        tensor_path: str | bytes | None = None,
    ) -> None: ...

class ProjectorConfig(Message):
    model_checkpoint_path: str
    embeddings: RepeatedCompositeFieldContainer[EmbeddingInfo]
    model_checkpoint_dir: str
    def __init__(
        self,
        *,
        model_checkpoint_path: str | bytes | None = None,
        embeddings: Iterable[EmbeddingInfo | Mapping[str, Any]] | None = None,
        model_checkpoint_dir: str | bytes | None = None,
    ) -> None: ...

class QueueRunnerDef(Message):
    queue_name: str
    enqueue_op_name: RepeatedScalarFieldContainer[str]
    close_op_name: str
    cancel_op_name: str
    queue_closed_exception_types: RepeatedScalarFieldContainer[int]
    def __init__(
        self,
        *,
        queue_name: str | bytes | None = None,
        enqueue_op_name: Iterable[str | bytes] | None = None,
        close_op_name: str | bytes | None = None,
        cancel_op_name: str | bytes | None = None,
        queue_closed_exception_types: Iterable[_Int | str] | None = None,
    ) -> None: ...

class SavedModel(Message):
    saved_model_schema_version: int
    meta_graphs: RepeatedCompositeFieldContainer[MetaGraphDef]
    def __init__(
        self,
        *,
        saved_model_schema_version: _Int | None = None,
        meta_graphs: Iterable[MetaGraphDef | Mapping[str, Any]] | None = None,
    ) -> None: ...

class TensorSliceProto(Message):
    class Extent(Message):
        start: int
        length: int
        def __init__(self, *, start: _Int | None = None, length: _Int | None = None) -> None: ...

    extent: RepeatedCompositeFieldContainer[TensorSliceProto.Extent]
    def __init__(self, *, extent: Iterable[TensorSliceProto.Extent | Mapping[str, Any]] | None = None) -> None: ...

class SavedSliceMeta(Message):
    name: str
    shape: TensorShapeProto
    type: int
    slice: RepeatedCompositeFieldContainer[TensorSliceProto]
    def __init__(
        self,
        *,
        name: str | bytes | None = None,
        shape: TensorShapeProto | Mapping[str, Any] | None = None,
        type: _Int | str | None = None,
        slice: Iterable[TensorSliceProto | Mapping[str, Any]] | None = None,
    ) -> None: ...

class SavedTensorSliceMeta(Message):
    tensor: RepeatedCompositeFieldContainer[SavedSliceMeta]
    versions: VersionDef
    def __init__(
        self,
        *,
        tensor: Iterable[SavedSliceMeta | Mapping[str, Any]] | None = None,
        versions: VersionDef | Mapping[str, Any] | None = None,
    ) -> None: ...

class SavedSlice(Message):
    name: str
    slice: TensorSliceProto
    data: TensorProto
    def __init__(
        self,
        *,
        name: str | bytes | None = None,
        slice: TensorSliceProto | Mapping[str, Any] | None = None,
        data: TensorProto | Mapping[str, Any] | None = None,
    ) -> None: ...

class SavedTensorSlices(Message):
    meta: SavedTensorSliceMeta
    data: SavedSlice
    def __init__(
        self,
        *,
        meta: SavedTensorSliceMeta | Mapping[str, Any] | None = None,
        data: SavedSlice | Mapping[str, Any] | None = None,
    ) -> None: ...

class BundleHeaderProto(Message):
    Endianness: EnumTypeWrapper
    LITTLE: int
    BIG: int
    num_shards: int
    endianness: int
    version: VersionDef
    def __init__(
        self,
        *,
        num_shards: _Int | None = None,
        endianness: _Int | str | None = None,
        version: VersionDef | Mapping[str, Any] | None = None,
    ) -> None: ...

class BundleEntryProto(Message):
    dtype: int
    shape: TensorShapeProto
    shard_id: int
    offset: int
    size: int
    crc32c: int
    slices: RepeatedCompositeFieldContainer[TensorSliceProto]
    def __init__(
        self,
        *,
        dtype: _Int | str | None = None,
        shape: TensorShapeProto | Mapping[str, Any] | None = None,
        shard_id: _Int | None = None,
        offset: _Int | None = None,
        size: _Int | None = None,
        crc32c: _Int | None = None,
        slices: Iterable[TensorSliceProto | Mapping[str, Any]] | None = None,
    ) -> None: ...

class ServerDef(Message):
    cluster: ClusterDef
    job_name: str
    task_index: int
    default_session_config: ConfigProto
    protocol: str
    port: int
    cluster_device_filters: ClusterDeviceFilters
    replica: int
    def __init__(
        self,
        *,
        cluster: ClusterDef | Mapping[str, Any] | None = None,
        job_name: str | bytes | None = None,
        task_index: _Int | None = None,
        default_session_config: ConfigProto | Mapping[str, Any] | None = None,
        protocol: str | bytes | None = None,
        port: _Int | None = None,
        cluster_device_filters: ClusterDeviceFilters | Mapping[str, Any] | None = None,
        replica: _Int | None = None,
    ) -> None: ...

class CodeDef(Message):
    class Trace(Message):
        file: str
        lineno: int
        function: str
        line: str
        func_start_line: int
        file_id: int
        function_id: int
        line_id: int
        def __init__(
            self,
            *,
            file: str | bytes | None = None,
            lineno: _Int | None = None,
            function: str | bytes | None = None,
            line: str | bytes | None = None,
            func_start_line: _Int | None = None,
            file_id: _Int | None = None,
            function_id: _Int | None = None,
            line_id: _Int | None = None,
        ) -> None: ...

    traces: RepeatedCompositeFieldContainer[CodeDef.Trace]
    def __init__(self, *, traces: Iterable[CodeDef.Trace | Mapping[str, Any]] | None = None) -> None: ...

class OpLogEntry(Message):
    name: str
    float_ops: int
    types: RepeatedScalarFieldContainer[str]
    code_def: CodeDef
    def __init__(
        self,
        *,
        name: str | bytes | None = None,
        float_ops: _Int | None = None,
        types: Iterable[str | bytes] | None = None,
        code_def: CodeDef | Mapping[str, Any] | None = None,
    ) -> None: ...

class OpLogProto(Message):
    log_entries: RepeatedCompositeFieldContainer[OpLogEntry]
    id_to_string: ScalarMap[int, str]
    def __init__(
        self,
        *,
        log_entries: Iterable[OpLogEntry | Mapping[str, Any]] | None = None,
        id_to_string: Mapping[int, str | bytes] | None = None,
    ) -> None: ...

class ProfileProto(Message):
    nodes: MessageMap[int, ProfileNode]
    has_trace: bool
    steps: RepeatedScalarFieldContainer[int]
    id_to_string: ScalarMap[int, str]
    miss_accelerator_stream: bool
    def __init__(
        self,
        *,
        nodes: Mapping[int, ProfileNode | Mapping[str, Any]] | None = None,
        has_trace: bool | _Int | None = None,
        steps: Iterable[_Int] | None = None,
        id_to_string: Mapping[int, str | bytes] | None = None,
        miss_accelerator_stream: bool | _Int | None = None,
    ) -> None: ...

class ProfileNode(Message):
    name: str
    inputs: ScalarMap[int, int]
    outputs: ScalarMap[int, int]
    shape: RepeatedScalarFieldContainer[int]
    op_types: RepeatedScalarFieldContainer[str]
    canonical_device: str
    host_device: str
    float_ops: int
    op: str
    trace: CodeDef
    attrs: MessageMap[str, AttrValue]
    execs: MessageMap[int, ExecProfile]
    id: int
    src_output_index: ScalarMap[int, int]
    output_shapes: MessageMap[int, Tuple]
    input_shapes: MessageMap[int, Tuple]
    def __init__(
        self,
        *,
        name: str | bytes | None = None,
        inputs: Mapping[int, _Int] | None = None,
        outputs: Mapping[int, _Int] | None = None,
        shape: Iterable[_Int] | None = None,
        op_types: Iterable[str | bytes] | None = None,
        canonical_device: str | bytes | None = None,
        host_device: str | bytes | None = None,
        float_ops: _Int | None = None,
        op: str | bytes | None = None,
        trace: CodeDef | Mapping[str, Any] | None = None,
        attrs: Mapping[str, AttrValue | Mapping[str, Any]] | None = None,
        execs: Mapping[int, ExecProfile | Mapping[str, Any]] | None = None,
        id: _Int | None = None,
        src_output_index: Mapping[int, _Int] | None = None,
        output_shapes: Mapping[int, Tuple | Mapping[str, Any]] | None = None,
        input_shapes: Mapping[int, Tuple | Mapping[str, Any]] | None = None,
    ) -> None: ...

class ExecProfile(Message):
    run_count: int
    all_start_micros: int
    latest_end_micros: int
    accelerator_execs: MessageMap[str, ExecTime]
    cpu_execs: MessageMap[str, ExecTime]
    devices: RepeatedScalarFieldContainer[str]
    memory_execs: RepeatedCompositeFieldContainer[ExecMemory]
    allocations: RepeatedCompositeFieldContainer[AllocationRecord]
    def __init__(
        self,
        *,
        run_count: _Int | None = None,
        all_start_micros: _Int | None = None,
        latest_end_micros: _Int | None = None,
        accelerator_execs: Mapping[str, ExecTime | Mapping[str, Any]] | None = None,
        cpu_execs: Mapping[str, ExecTime | Mapping[str, Any]] | None = None,
        devices: Iterable[str | bytes] | None = None,
        memory_execs: Iterable[ExecMemory | Mapping[str, Any]] | None = None,
        allocations: Iterable[AllocationRecord | Mapping[str, Any]] | None = None,
    ) -> None: ...

class ExecTime(Message):
    times: RepeatedCompositeFieldContainer[Tuple]
    def __init__(self, *, times: Iterable[Tuple | Mapping[str, Any]] | None = None) -> None: ...

class ExecMemory(Message):
    memory_micros: int
    host_temp_bytes: int
    host_persistent_bytes: int
    accelerator_temp_bytes: int
    accelerator_persistent_bytes: int
    requested_bytes: int
    peak_bytes: int
    residual_bytes: int
    output_bytes: int
    allocator_bytes_in_use: int
    output_memory: MessageMap[int, Memory]
    def __init__(
        self,
        *,
        memory_micros: _Int | None = None,
        host_temp_bytes: _Int | None = None,
        host_persistent_bytes: _Int | None = None,
        accelerator_temp_bytes: _Int | None = None,
        accelerator_persistent_bytes: _Int | None = None,
        requested_bytes: _Int | None = None,
        peak_bytes: _Int | None = None,
        residual_bytes: _Int | None = None,
        output_bytes: _Int | None = None,
        allocator_bytes_in_use: _Int | None = None,
        output_memory: Mapping[int, Memory | Mapping[str, Any]] | None = None,
    ) -> None: ...

class Tuple(Message):
    int64_values: RepeatedScalarFieldContainer[int]
    def __init__(self, *, int64_values: Iterable[_Int] | None = None) -> None: ...

class Memory(Message):
    bytes: int
    ptr: int
    def __init__(self, *, bytes: _Int | None = None, ptr: _Int | None = None) -> None: ...

class TFProfTensorProto(Message):
    dtype: int
    value_double: RepeatedScalarFieldContainer[float]
    value_int64: RepeatedScalarFieldContainer[int]
    value_str: RepeatedScalarFieldContainer[str]
    def __init__(
        self,
        *,
        dtype: _Int | str | None = None,
        value_double: Iterable[_Float] | None = None,
        value_int64: Iterable[_Int] | None = None,
        value_str: Iterable[str | bytes] | None = None,
    ) -> None: ...

class GraphNodeProto(Message):
    name: str
    exec_micros: int
    requested_bytes: int
    parameters: int
    total_exec_micros: int
    total_requested_bytes: int
    total_parameters: int
    devices: RepeatedScalarFieldContainer[str]
    shapes: RepeatedCompositeFieldContainer[TensorShapeProto]
    children: RepeatedCompositeFieldContainer[GraphNodeProto]
    float_ops: int
    total_float_ops: int
    tensor_value: TFProfTensorProto
    input_shapes: MessageMap[int, TensorShapeProto]
    accelerator_exec_micros: int
    cpu_exec_micros: int
    total_accelerator_exec_micros: int
    total_cpu_exec_micros: int
    run_count: int
    total_run_count: int
    total_definition_count: int
    peak_bytes: int
    residual_bytes: int
    output_bytes: int
    total_peak_bytes: int
    total_residual_bytes: int
    total_output_bytes: int
    def __init__(
        self,
        *,
        name: str | bytes | None = None,
        exec_micros: _Int | None = None,
        requested_bytes: _Int | None = None,
        parameters: _Int | None = None,
        total_exec_micros: _Int | None = None,
        total_requested_bytes: _Int | None = None,
        total_parameters: _Int | None = None,
        devices: Iterable[str | bytes] | None = None,
        shapes: Iterable[TensorShapeProto | Mapping[str, Any]] | None = None,
        children: Iterable[GraphNodeProto | Mapping[str, Any]] | None = None,
        float_ops: _Int | None = None,
        total_float_ops: _Int | None = None,
        tensor_value: TFProfTensorProto | Mapping[str, Any] | None = None,
        input_shapes: Mapping[int, TensorShapeProto | Mapping[str, Any]] | None = None,
        accelerator_exec_micros: _Int | None = None,
        cpu_exec_micros: _Int | None = None,
        total_accelerator_exec_micros: _Int | None = None,
        total_cpu_exec_micros: _Int | None = None,
        run_count: _Int | None = None,
        total_run_count: _Int | None = None,
        total_definition_count: _Int | None = None,
        peak_bytes: _Int | None = None,
        residual_bytes: _Int | None = None,
        output_bytes: _Int | None = None,
        total_peak_bytes: _Int | None = None,
        total_residual_bytes: _Int | None = None,
        total_output_bytes: _Int | None = None,
    ) -> None: ...

class MultiGraphNodeProto(Message):
    name: str
    exec_micros: int
    requested_bytes: int
    parameters: int
    float_ops: int
    total_exec_micros: int
    total_requested_bytes: int
    total_parameters: int
    total_float_ops: int
    graph_nodes: RepeatedCompositeFieldContainer[GraphNodeProto]
    children: RepeatedCompositeFieldContainer[MultiGraphNodeProto]
    accelerator_exec_micros: int
    cpu_exec_micros: int
    total_accelerator_exec_micros: int
    total_cpu_exec_micros: int
    peak_bytes: int
    residual_bytes: int
    output_bytes: int
    total_peak_bytes: int
    total_residual_bytes: int
    total_output_bytes: int
    def __init__(
        self,
        *,
        name: str | bytes | None = None,
        exec_micros: _Int | None = None,
        requested_bytes: _Int | None = None,
        parameters: _Int | None = None,
        float_ops: _Int | None = None,
        total_exec_micros: _Int | None = None,
        total_requested_bytes: _Int | None = None,
        total_parameters: _Int | None = None,
        total_float_ops: _Int | None = None,
        graph_nodes: Iterable[GraphNodeProto | Mapping[str, Any]] | None = None,
        children: Iterable[MultiGraphNodeProto | Mapping[str, Any]] | None = None,
        accelerator_exec_micros: _Int | None = None,
        cpu_exec_micros: _Int | None = None,
        total_accelerator_exec_micros: _Int | None = None,
        total_cpu_exec_micros: _Int | None = None,
        peak_bytes: _Int | None = None,
        residual_bytes: _Int | None = None,
        output_bytes: _Int | None = None,
        total_peak_bytes: _Int | None = None,
        total_residual_bytes: _Int | None = None,
        total_output_bytes: _Int | None = None,
    ) -> None: ...

class AdviceProto(Message):
    class Checker(Message):
        reports: RepeatedScalarFieldContainer[str]
        def __init__(self, *, reports: Iterable[str | bytes] | None = None) -> None: ...

    checkers: MessageMap[str, AdviceProto.Checker]
    def __init__(self, *, checkers: Mapping[str, AdviceProto.Checker | Mapping[str, Any]] | None = None) -> None: ...

class VariableDef(Message):
    variable_name: str
    initializer_name: str
    snapshot_name: str
    save_slice_info_def: SaveSliceInfoDef
    is_resource: bool
    initial_value_name: str
    trainable: bool
    synchronization: int
    aggregation: int
    def __init__(
        self,
        *,
        variable_name: str | bytes | None = None,
        initializer_name: str | bytes | None = None,
        snapshot_name: str | bytes | None = None,
        save_slice_info_def: SaveSliceInfoDef | Mapping[str, Any] | None = None,
        is_resource: bool | _Int | None = None,
        initial_value_name: str | bytes | None = None,
        trainable: bool | _Int | None = None,
        synchronization: _Int | str | None = None,
        aggregation: _Int | str | None = None,
    ) -> None: ...

class SaveSliceInfoDef(Message):
    full_name: str
    full_shape: RepeatedScalarFieldContainer[int]
    var_offset: RepeatedScalarFieldContainer[int]
    var_shape: RepeatedScalarFieldContainer[int]
    def __init__(
        self,
        *,
        full_name: str | bytes | None = None,
        full_shape: Iterable[_Int] | None = None,
        var_offset: Iterable[_Int] | None = None,
        var_shape: Iterable[_Int] | None = None,
    ) -> None: ...

DataType: EnumTypeWrapper
DT_INVALID: int
DT_FLOAT: int
DT_DOUBLE: int
DT_INT32: int
DT_UINT8: int
DT_INT16: int
DT_INT8: int
DT_STRING: int
DT_COMPLEX64: int
DT_INT64: int
DT_BOOL: int
DT_QINT8: int
DT_QUINT8: int
DT_QINT32: int
DT_BFLOAT16: int
DT_QINT16: int
DT_QUINT16: int
DT_UINT16: int
DT_COMPLEX128: int
DT_HALF: int
DT_RESOURCE: int
DT_VARIANT: int
DT_UINT32: int
DT_UINT64: int
DT_FLOAT8_E5M2: int
DT_FLOAT8_E4M3FN: int
DT_FLOAT8_E4M3FNUZ: int
DT_FLOAT8_E4M3B11FNUZ: int
DT_FLOAT8_E5M2FNUZ: int
DT_INT4: int
DT_UINT4: int
DT_INT2: int
DT_UINT2: int
DT_FLOAT4_E2M1FN: int
DT_FLOAT_REF: int
DT_DOUBLE_REF: int
DT_INT32_REF: int
DT_UINT8_REF: int
DT_INT16_REF: int
DT_INT8_REF: int
DT_STRING_REF: int
DT_COMPLEX64_REF: int
DT_INT64_REF: int
DT_BOOL_REF: int
DT_QINT8_REF: int
DT_QUINT8_REF: int
DT_QINT32_REF: int
DT_BFLOAT16_REF: int
DT_QINT16_REF: int
DT_QUINT16_REF: int
DT_UINT16_REF: int
DT_COMPLEX128_REF: int
DT_HALF_REF: int
DT_RESOURCE_REF: int
DT_VARIANT_REF: int
DT_UINT32_REF: int
DT_UINT64_REF: int
DT_FLOAT8_E5M2_REF: int
DT_FLOAT8_E4M3FN_REF: int
DT_FLOAT8_E4M3FNUZ_REF: int
DT_FLOAT8_E4M3B11FNUZ_REF: int
DT_FLOAT8_E5M2FNUZ_REF: int
DT_INT4_REF: int
DT_UINT4_REF: int
DT_INT2_REF: int
DT_UINT2_REF: int
DT_FLOAT4_E2M1FN_REF: int
SplitTypeWithDefault: EnumTypeWrapper
INEQUALITY_DEFAULT_LEFT: int
INEQUALITY_DEFAULT_RIGHT: int
EQUALITY_DEFAULT_RIGHT: int
DefaultDirection: EnumTypeWrapper
DEFAULT_LEFT: int
DEFAULT_RIGHT: int
FullTypeId: EnumTypeWrapper
TFT_UNSET: int
TFT_VAR: int
TFT_ANY: int
TFT_PRODUCT: int
TFT_NAMED: int
TFT_FOR_EACH: int
TFT_CALLABLE: int
TFT_BOOL: int
TFT_UINT8: int
TFT_UINT16: int
TFT_UINT32: int
TFT_UINT64: int
TFT_INT8: int
TFT_INT16: int
TFT_INT32: int
TFT_INT64: int
TFT_HALF: int
TFT_FLOAT: int
TFT_DOUBLE: int
TFT_COMPLEX64: int
TFT_COMPLEX128: int
TFT_STRING: int
TFT_BFLOAT16: int
TFT_TENSOR: int
TFT_ARRAY: int
TFT_OPTIONAL: int
TFT_LITERAL: int
TFT_ENCODED: int
TFT_SHAPE_TENSOR: int
TFT_DATASET: int
TFT_RAGGED: int
TFT_ITERATOR: int
TFT_MUTEX_LOCK: int
TFT_LEGACY_VARIANT: int
Code: EnumTypeWrapper
OK: int
CANCELLED: int
UNKNOWN: int
INVALID_ARGUMENT: int
DEADLINE_EXCEEDED: int
NOT_FOUND: int
ALREADY_EXISTS: int
PERMISSION_DENIED: int
RESOURCE_EXHAUSTED: int
FAILED_PRECONDITION: int
ABORTED: int
OUT_OF_RANGE: int
UNIMPLEMENTED: int
INTERNAL: int
UNAVAILABLE: int
DATA_LOSS: int
UNAUTHENTICATED: int
DO_NOT_USE_RESERVED_FOR_FUTURE_EXPANSION_USE_DEFAULT_IN_SWITCH_INSTEAD_: int
DataClass: EnumTypeWrapper
DATA_CLASS_UNKNOWN: int
DATA_CLASS_SCALAR: int
DATA_CLASS_TENSOR: int
DATA_CLASS_BLOB_SEQUENCE: int
WorkerHealth: EnumTypeWrapper
RECEIVED_SHUTDOWN_SIGNAL: int
INTERNAL_ERROR: int
SHUTTING_DOWN: int
WorkerShutdownMode: EnumTypeWrapper
DEFAULT: int
NOT_CONFIGURED: int
WAIT_FOR_COORDINATOR: int
SHUTDOWN_AFTER_TIMEOUT: int
VariableSynchronization: EnumTypeWrapper
VARIABLE_SYNCHRONIZATION_AUTO: int
VARIABLE_SYNCHRONIZATION_NONE: int
VARIABLE_SYNCHRONIZATION_ON_WRITE: int
VARIABLE_SYNCHRONIZATION_ON_READ: int
VariableAggregation: EnumTypeWrapper
VARIABLE_AGGREGATION_NONE: int
VARIABLE_AGGREGATION_SUM: int
VARIABLE_AGGREGATION_MEAN: int
VARIABLE_AGGREGATION_ONLY_FIRST_REPLICA: int
