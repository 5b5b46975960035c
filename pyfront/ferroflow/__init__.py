"""TensorFlow 1.x programs without TensorFlow: `import ferroflow as tf`."""

import importlib as _importlib
import typing as _typing
from typing import Any as _Any

from ferroflow._alias import install_as_tensorflow as install_as_tensorflow
from ferroflow._src.autodiff.aggregation import AggregationMethod as AggregationMethod
from ferroflow._src.autodiff.custom_gradient import custom_gradient as custom_gradient
from ferroflow._src.autodiff.gradient_functions import (
    grad_pass_through as grad_pass_through,
    recompute_grad as recompute_grad,
)
from ferroflow._src.autodiff.gradients import gradients as gradients
from ferroflow._src.autodiff.hessians import hessians as hessians
from ferroflow._src.autodiff.parallel_for import vectorized_map as vectorized_map
from ferroflow._src.autodiff.unconnected import UnconnectedGradients as UnconnectedGradients
from ferroflow._src.base import proto as _proto
from ferroflow._src.base.absent_names import absent as _absent
from ferroflow._src.base.behavior import (
    control_flow_v2_enabled as control_flow_v2_enabled,
    disable_control_flow_v2 as disable_control_flow_v2,
    disable_eager_execution as disable_eager_execution,
    disable_resource_variables as disable_resource_variables,
    disable_tensor_equality as disable_tensor_equality,
    disable_v2_behavior as disable_v2_behavior,
    disable_v2_tensorshape as disable_v2_tensorshape,
    enable_control_flow_v2 as enable_control_flow_v2,
    enable_eager_execution as enable_eager_execution,
    enable_resource_variables as enable_resource_variables,
    enable_tensor_equality as enable_tensor_equality,
    enable_v2_behavior as enable_v2_behavior,
    enable_v2_tensorshape as enable_v2_tensorshape,
    executing_eagerly as executing_eagerly,
    resource_variables_enabled as resource_variables_enabled,
)
from ferroflow._src.base.device_spec import DeviceSpec as DeviceSpec
from ferroflow._src.base.dtypes import (
    QUANTIZED_DTYPES as QUANTIZED_DTYPES,
    DType as DType,
    as_dtype as as_dtype,
    bfloat16 as bfloat16,
    bool as bool,
    complex64 as complex64,
    complex128 as complex128,
    double as double,
    float16 as float16,
    float32 as float32,
    float64 as float64,
    half as half,
    int8 as int8,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    qint8 as qint8,
    qint16 as qint16,
    qint32 as qint32,
    quint8 as quint8,
    quint16 as quint16,
    resource as resource,
    string as string,
    uint8 as uint8,
    uint16 as uint16,
    uint32 as uint32,
    uint64 as uint64,
    variant as variant,
)
from ferroflow._src.base.errors import OpError as OpError
from ferroflow._src.base.moved_modules import MovedModules as _MovedModules
from ferroflow._src.base.op_libraries import (
    load_file_system_library as load_file_system_library,
    load_library as load_library,
    load_op_library as load_op_library,
)
from ferroflow._src.base.public_modules import set_public_modules as _set_public_modules
from ferroflow._src.base.sysconfig import CXX11_ABI_FLAG as CXX11_ABI_FLAG, MONOLITHIC_BUILD as MONOLITHIC_BUILD
from ferroflow._src.base.tensor_content import (
    make_ndarray as make_ndarray,
    make_tensor_proto as make_tensor_proto,
)
from ferroflow._src.base.tensor_shape import (
    Dimension as Dimension,
    TensorShape as TensorShape,
)
from ferroflow._src.base.tf_logging import get_logger as get_logger
from ferroflow._src.base.user_frames import install_hooks as _install_hooks
from ferroflow._src.base.version import (
    COMPILER_VERSION as COMPILER_VERSION,
    GIT_VERSION as GIT_VERSION,
    GRAPH_DEF_VERSION as GRAPH_DEF_VERSION,
    GRAPH_DEF_VERSION_MIN_CONSUMER as GRAPH_DEF_VERSION_MIN_CONSUMER,
    GRAPH_DEF_VERSION_MIN_PRODUCER as GRAPH_DEF_VERSION_MIN_PRODUCER,
    VERSION as VERSION,
)
from ferroflow._src.base.virtual_modules import install as _install_finder, serve as _serve
from ferroflow._src.control_flow.choice import case as case, switch_case as switch_case
from ferroflow._src.control_flow.conditional import cond as cond
from ferroflow._src.control_flow.critical_section import CriticalSection as CriticalSection
from ferroflow._src.control_flow.functional import foldl as foldl, foldr as foldr, map_fn as map_fn, scan as scan
from ferroflow._src.control_flow.loop import while_loop as while_loop
from ferroflow._src.framework import (
    dispatch as _dispatch,
    gradient_registry as _gradient_registry,
    graph as _graph,
    proto_functions as _proto_functions,
)
from ferroflow._src.framework.composite import (
    IndexedSlices as IndexedSlices,
    IndexedSlicesValue as IndexedSlicesValue,
    SparseTensor as SparseTensor,
    SparseTensorValue as SparseTensorValue,
    convert_to_tensor_or_indexed_slices as convert_to_tensor_or_indexed_slices,
    convert_to_tensor_or_sparse_tensor as convert_to_tensor_or_sparse_tensor,
    is_tensor as is_tensor,
)
from ferroflow._src.framework.composite_specs import (
    IndexedSlicesSpec as IndexedSlicesSpec,
    SparseTensorSpec as SparseTensorSpec,
)
from ferroflow._src.framework.constant import (
    constant as constant,
    constant_value as _constant_value,
)
from ferroflow._src.framework.conversion import (
    convert_to_tensor as convert_to_tensor,
    register_tensor_conversion_function as register_tensor_conversion_function,
)
from ferroflow._src.framework.default_graph import (
    add_to_collection as add_to_collection,
    add_to_collections as add_to_collections,
    colocate_with as colocate_with,
    container as container,
    control_dependencies as control_dependencies,
    device as device,
    get_collection as get_collection,
    get_collection_ref as get_collection_ref,
    get_default_graph as get_default_graph,
    init_scope as init_scope,
    name_scope as name_scope,
    op_scope as op_scope,
    reset_default_graph as reset_default_graph,
)
from ferroflow._src.framework.default_stacks import get_default_session as get_default_session
from ferroflow._src.framework.gradient_registry import (
    NoGradient as NoGradient,
    NoGradient as _no_gradient,
    NotDifferentiable as NotDifferentiable,
    RegisterGradient as RegisterGradient,
)
from ferroflow._src.framework.graph import Graph as Graph
from ferroflow._src.framework.graph_keys import GraphKeys as GraphKeys
from ferroflow._src.framework.handles import (
    Operation as Operation,
    Tensor as Tensor,
)
from ferroflow._src.framework.import_graph_def import import_graph_def as import_graph_def
from ferroflow._src.framework.random_seed import (
    get_seed as get_seed,
    set_random_seed as set_random_seed,
)
from ferroflow._src.framework.tensor_spec import TensorSpec as TensorSpec
from ferroflow._src.framework.type_spec import TypeSpec as TypeSpec
from ferroflow._src.keras import folder_writer as _folder_writer
from ferroflow._src.ops import operators as _operators  # noqa: F401  installs the operators of tensors
from ferroflow._src.ops.array.fingerprinting import fingerprint as fingerprint
from ferroflow._src.ops.array.indexing import (
    batch_gather as batch_gather,
    boolean_mask as boolean_mask,
    gather as gather,
    gather_nd as gather_nd,
    scatter_nd as scatter_nd,
    sparse_mask as sparse_mask,
    tensor_scatter_add as tensor_scatter_add,
    tensor_scatter_sub as tensor_scatter_sub,
    tensor_scatter_update as tensor_scatter_update,
    unique as unique,
    unique_with_counts as unique_with_counts,
    unravel_index as unravel_index,
    where as where,
    where_v2 as where_v2,
)
from ferroflow._src.ops.array.joining import (
    concat as concat,
    dynamic_partition as dynamic_partition,
    dynamic_stitch as dynamic_stitch,
    meshgrid as meshgrid,
    parallel_stack as parallel_stack,
    split as split,
    stack as stack,
    unstack as unstack,
)
from ferroflow._src.ops.array.making import (
    ensure_shape as ensure_shape,
    fill as fill,
    guarantee_const as guarantee_const,
    identity as identity,
    identity_n as identity_n,
    lin_space as lin_space,
    linspace as linspace,
    one_hot as one_hot,
    ones as ones,
    ones_like as ones_like,
    placeholder as placeholder,
    placeholder_with_default as placeholder_with_default,
    range as range,
    sequence_mask as sequence_mask,
    sparse_placeholder as sparse_placeholder,
    stop_gradient as stop_gradient,
    zeros as zeros,
    zeros_like as zeros_like,
)
from ferroflow._src.ops.array.shaping import (
    batch_to_space as batch_to_space,
    batch_to_space_nd as batch_to_space_nd,
    broadcast_dynamic_shape as broadcast_dynamic_shape,
    broadcast_static_shape as broadcast_static_shape,
    broadcast_to as broadcast_to,
    depth_to_space as depth_to_space,
    expand_dims as expand_dims,
    invert_permutation as invert_permutation,
    pad as pad,
    rank as rank,
    repeat as repeat,
    reshape as reshape,
    reverse as reverse,
    reverse_sequence as reverse_sequence,
    reverse_v2 as reverse_v2,
    roll as roll,
    shape as shape,
    shape_n as shape_n,
    size as size,
    space_to_batch as space_to_batch,
    space_to_batch_nd as space_to_batch_nd,
    space_to_depth as space_to_depth,
    squeeze as squeeze,
    tile as tile,
    transpose as transpose,
)
from ferroflow._src.ops.array.slicing import (
    newaxis as newaxis,
    slice as slice,
    strided_slice as strided_slice,
)
from ferroflow._src.ops.array.sorting import argsort as argsort, searchsorted as searchsorted, sort as sort
from ferroflow._src.ops.array.space_to_batch import required_space_to_batch_paddings as required_space_to_batch_paddings
from ferroflow._src.ops.file.whole import (
    matching_files as matching_files,
    read_file as read_file,
    write_file as write_file,
)
from ferroflow._src.ops.flow.checking import (
    Assert as Assert,
    add_check_numerics_ops as add_check_numerics_ops,
    assert_equal as assert_equal,
    assert_greater as assert_greater,
    assert_greater_equal as assert_greater_equal,
    assert_integer as assert_integer,
    assert_less as assert_less,
    assert_less_equal as assert_less_equal,
    assert_near as assert_near,
    assert_negative as assert_negative,
    assert_non_negative as assert_non_negative,
    assert_non_positive as assert_non_positive,
    assert_none_equal as assert_none_equal,
    assert_positive as assert_positive,
    assert_proper_iterable as assert_proper_iterable,
    assert_rank as assert_rank,
    assert_rank_at_least as assert_rank_at_least,
    assert_rank_in as assert_rank_in,
    assert_same_float_dtype as assert_same_float_dtype,
    assert_scalar as assert_scalar,
    assert_type as assert_type,
    check_numerics as check_numerics,
    is_non_decreasing as is_non_decreasing,
    is_numeric_tensor as is_numeric_tensor,
    is_strictly_increasing as is_strictly_increasing,
    verify_tensor_all_finite as verify_tensor_all_finite,
)
from ferroflow._src.ops.flow.clock import timestamp as timestamp
from ferroflow._src.ops.flow.grouping import (
    group as group,
    no_op as no_op,
    tuple as tuple,
)
from ferroflow._src.ops.flow.printing import (
    Print as Print,
    print as print,
)
from ferroflow._src.ops.image.cropping import (
    extract_image_patches as extract_image_patches,
    extract_volume_patches as extract_volume_patches,
)
from ferroflow._src.ops.linalg.decomposing import (
    qr as qr,
    self_adjoint_eig as self_adjoint_eig,
    self_adjoint_eigvals as self_adjoint_eigvals,
    svd as svd,
)
from ferroflow._src.ops.linalg.determinant import (
    log_matrix_determinant as log_matrix_determinant,
    matrix_determinant as matrix_determinant,
)
from ferroflow._src.ops.linalg.einsum import einsum as einsum
from ferroflow._src.ops.linalg.matrix_function import (
    matrix_exponential as matrix_exponential,
    matrix_logarithm as matrix_logarithm,
    matrix_square_root as matrix_square_root,
)
from ferroflow._src.ops.linalg.norm import norm as norm
from ferroflow._src.ops.linalg.solving import (
    cholesky as cholesky,
    cholesky_solve as cholesky_solve,
    matrix_inverse as matrix_inverse,
    matrix_solve as matrix_solve,
    matrix_solve_ls as matrix_solve_ls,
    matrix_triangular_solve as matrix_triangular_solve,
)
from ferroflow._src.ops.lookup.table import (
    initialize_all_tables as initialize_all_tables,
    tables_initializer as tables_initializer,
)
from ferroflow._src.ops.math.arithmetic import (
    accumulate_n as accumulate_n,
    add as add,
    add_n as add_n,
    atan2 as atan2,
    betainc as betainc,
    cross as cross,
    div_no_nan as div_no_nan,
    divide as divide,
    floor_div as floor_div,
    floordiv as floordiv,
    floormod as floormod,
    igamma as igamma,
    igammac as igammac,
    maximum as maximum,
    minimum as minimum,
    mod as mod,
    multiply as multiply,
    polygamma as polygamma,
    pow as pow,
    realdiv as realdiv,
    scalar_mul as scalar_mul,
    squared_difference as squared_difference,
    subtract as subtract,
    truediv as truediv,
    truncatediv as truncatediv,
    truncatemod as truncatemod,
    zeta as zeta,
)
from ferroflow._src.ops.math.beta import lbeta as lbeta
from ferroflow._src.ops.math.cast import (
    bitcast as bitcast,
    cast as cast,
    saturate_cast as saturate_cast,
    to_bfloat16 as to_bfloat16,
    to_complex64 as to_complex64,
    to_complex128 as to_complex128,
    to_double as to_double,
    to_float as to_float,
    to_int32 as to_int32,
    to_int64 as to_int64,
)
from ferroflow._src.ops.math.clipping import (
    clip_by_global_norm as clip_by_global_norm,
    clip_by_norm as clip_by_norm,
    clip_by_value as clip_by_value,
    global_norm as global_norm,
)
from ferroflow._src.ops.math.comparison import (
    equal as equal,
    greater as greater,
    greater_equal as greater_equal,
    less as less,
    less_equal as less_equal,
    logical_and as logical_and,
    logical_or as logical_or,
    logical_xor as logical_xor,
    not_equal as not_equal,
)
from ferroflow._src.ops.math.complex_parts import angle as angle, complex as complex, imag as imag, real as real
from ferroflow._src.ops.math.confusion_matrix import confusion_matrix as confusion_matrix
from ferroflow._src.ops.math.counting import (
    histogram_fixed_width as histogram_fixed_width,
    histogram_fixed_width_bins as histogram_fixed_width_bins,
)
from ferroflow._src.ops.math.elementwise import (
    abs as abs,
    acos as acos,
    acosh as acosh,
    asin as asin,
    asinh as asinh,
    atan as atan,
    atanh as atanh,
    ceil as ceil,
    conj as conj,
    cos as cos,
    cosh as cosh,
    digamma as digamma,
    erf as erf,
    erfc as erfc,
    exp as exp,
    expm1 as expm1,
    floor as floor,
    is_finite as is_finite,
    is_inf as is_inf,
    is_nan as is_nan,
    lgamma as lgamma,
    log as log,
    log1p as log1p,
    logical_not as logical_not,
    negative as negative,
    reciprocal as reciprocal,
    rint as rint,
    round as round,
    rsqrt as rsqrt,
    sigmoid as sigmoid,
    sign as sign,
    sin as sin,
    sinh as sinh,
    sqrt as sqrt,
    square as square,
    tan as tan,
    tanh as tanh,
)
from ferroflow._src.ops.math.linalg import (
    diag as diag,
    diag_part as diag_part,
    eye as eye,
    matmul as matmul,
    matrix_band_part as matrix_band_part,
    matrix_diag as matrix_diag,
    matrix_diag_part as matrix_diag_part,
    matrix_set_diag as matrix_set_diag,
    matrix_transpose as matrix_transpose,
    matvec as matvec,
    sparse_matmul as sparse_matmul,
    tensordot as tensordot,
    trace as trace,
)
from ferroflow._src.ops.math.reduction import (
    arg_max as arg_max,
    arg_min as arg_min,
    argmax as argmax,
    argmin as argmin,
    count_nonzero as count_nonzero,
    reduce_all as reduce_all,
    reduce_any as reduce_any,
    reduce_logsumexp as reduce_logsumexp,
    reduce_max as reduce_max,
    reduce_mean as reduce_mean,
    reduce_min as reduce_min,
    reduce_prod as reduce_prod,
    reduce_sum as reduce_sum,
)
from ferroflow._src.ops.math.segment import (
    bincount as bincount,
    cumprod as cumprod,
    cumsum as cumsum,
    segment_max as segment_max,
    segment_mean as segment_mean,
    segment_min as segment_min,
    segment_prod as segment_prod,
    segment_sum as segment_sum,
    sparse_segment_mean as sparse_segment_mean,
    sparse_segment_sqrt_n as sparse_segment_sqrt_n,
    sparse_segment_sum as sparse_segment_sum,
    unsorted_segment_max as unsorted_segment_max,
    unsorted_segment_mean as unsorted_segment_mean,
    unsorted_segment_min as unsorted_segment_min,
    unsorted_segment_prod as unsorted_segment_prod,
    unsorted_segment_sqrt_n as unsorted_segment_sqrt_n,
    unsorted_segment_sum as unsorted_segment_sum,
)
from ferroflow._src.ops.nn.activation import log_sigmoid as log_sigmoid
from ferroflow._src.ops.parsing.examples import (
    parse_example as parse_example,
    parse_single_example as parse_single_example,
    parse_single_sequence_example as parse_single_sequence_example,
)
from ferroflow._src.ops.parsing.features import (
    FixedLenFeature as FixedLenFeature,
    FixedLenSequenceFeature as FixedLenSequenceFeature,
    SparseFeature as SparseFeature,
    VarLenFeature as VarLenFeature,
)
from ferroflow._src.ops.parsing.tensors import (
    parse_tensor as parse_tensor,
    serialize_tensor as serialize_tensor,
)
from ferroflow._src.ops.parsing.text import (
    decode_csv as decode_csv,
    decode_json_example as decode_json_example,
)
from ferroflow._src.ops.quantization.levels import quantized_concat as quantized_concat
from ferroflow._src.ops.quantization.steps import (
    dequantize as dequantize,
    fake_quant_with_min_max_args as fake_quant_with_min_max_args,
    fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient,
    fake_quant_with_min_max_vars as fake_quant_with_min_max_vars,
    fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient,
    fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel,
    fake_quant_with_min_max_vars_per_channel_gradient as fake_quant_with_min_max_vars_per_channel_gradient,
    quantize as quantize,
)
from ferroflow._src.ops.queue.queues import (
    FIFOQueue as FIFOQueue,
    PaddingFIFOQueue as PaddingFIFOQueue,
    PriorityQueue as PriorityQueue,
    QueueBase as QueueBase,
    RandomShuffleQueue as RandomShuffleQueue,
)
from ferroflow._src.ops.ragged import (
    operators as _ragged_operators,  # noqa: F401  installs the operators on ragged tensors
    running as _running,  # noqa: F401  makes ragged tensors fetches and feeds
)
from ferroflow._src.ops.ragged.spec import RaggedTensorSpec as RaggedTensorSpec
from ferroflow._src.ops.ragged.tensor import RaggedTensor as RaggedTensor
from ferroflow._src.ops.ragged.text import string_split as string_split
from ferroflow._src.ops.ragged.value import RaggedTensorValue as _RaggedTensorValue
from ferroflow._src.ops.random.sampling import (
    random_crop as random_crop,
    random_gamma as random_gamma,
    random_normal as random_normal,
    random_poisson as random_poisson,
    random_shuffle as random_shuffle,
    random_uniform as random_uniform,
    truncated_normal as truncated_normal,
)
from ferroflow._src.ops.reader.readers import (
    FixedLengthRecordReader as FixedLengthRecordReader,
    IdentityReader as IdentityReader,
    LMDBReader as LMDBReader,
    ReaderBase as ReaderBase,
    TextLineReader as TextLineReader,
    TFRecordReader as TFRecordReader,
    WholeFileReader as WholeFileReader,
)
from ferroflow._src.ops.renamed import (
    batch_matmul as batch_matmul,
    batch_matrix_band_part as batch_matrix_band_part,
    batch_matrix_diag as batch_matrix_diag,
    batch_matrix_diag_part as batch_matrix_diag_part,
    batch_matrix_set_diag as batch_matrix_set_diag,
    batch_matrix_transpose as batch_matrix_transpose,
    batch_svd as batch_svd,
    complex_abs as complex_abs,
    concat_v2 as concat_v2,
    inv as inv,
    mul as mul,
    neg as neg,
    pack as pack,
    select as select,
    split_v as split_v,
    sub as sub,
    unpack as unpack,
)
from ferroflow._src.ops.script.py_func import numpy_function as numpy_function
from ferroflow._src.ops.sparse.arithmetic import (
    sparse_add as sparse_add,
    sparse_maximum as sparse_maximum,
    sparse_minimum as sparse_minimum,
    sparse_reduce_max as sparse_reduce_max,
    sparse_reduce_max_sparse as sparse_reduce_max_sparse,
    sparse_reduce_sum as sparse_reduce_sum,
    sparse_reduce_sum_sparse as sparse_reduce_sum_sparse,
    sparse_softmax as sparse_softmax,
    sparse_tensor_dense_matmul as sparse_tensor_dense_matmul,
)
from ferroflow._src.ops.sparse.comparing import edit_distance as edit_distance
from ferroflow._src.ops.sparse.converting import (
    sparse_merge as sparse_merge,
    sparse_tensor_to_dense as sparse_tensor_to_dense,
    sparse_to_indicator as sparse_to_indicator,
)
from ferroflow._src.ops.sparse.serializing import (
    deserialize_many_sparse as deserialize_many_sparse,
    serialize_many_sparse as serialize_many_sparse,
    serialize_sparse as serialize_sparse,
)
from ferroflow._src.ops.sparse.shaping import (
    sparse_concat as sparse_concat,
    sparse_fill_empty_rows as sparse_fill_empty_rows,
    sparse_reorder as sparse_reorder,
    sparse_reset_shape as sparse_reset_shape,
    sparse_reshape as sparse_reshape,
    sparse_retain as sparse_retain,
    sparse_slice as sparse_slice,
    sparse_split as sparse_split,
    sparse_transpose as sparse_transpose,
)
from ferroflow._src.ops.spectral.fourier import (
    fft as fft,
    fft2d as fft2d,
    fft3d as fft3d,
    ifft as ifft,
    ifft2d as ifft2d,
    ifft3d as ifft3d,
)
from ferroflow._src.ops.state.accumulating import (
    ConditionalAccumulator as ConditionalAccumulator,
    ConditionalAccumulatorBase as ConditionalAccumulatorBase,
    SparseConditionalAccumulator as SparseConditionalAccumulator,
)
from ferroflow._src.ops.state.assigning import (
    assign as assign,
    assign_add as assign_add,
    assign_sub as assign_sub,
    scatter_add as scatter_add,
    scatter_div as scatter_div,
    scatter_max as scatter_max,
    scatter_min as scatter_min,
    scatter_mul as scatter_mul,
    scatter_nd_add as scatter_nd_add,
    scatter_nd_sub as scatter_nd_sub,
    scatter_nd_update as scatter_nd_update,
    scatter_sub as scatter_sub,
    scatter_update as scatter_update,
)
from ferroflow._src.ops.state.batch_scattering import batch_scatter_update as batch_scatter_update
from ferroflow._src.ops.string.characters import regex_replace as regex_replace
from ferroflow._src.ops.string.encoding import (
    as_string as as_string,
    decode_base64 as decode_base64,
    decode_compressed as decode_compressed,
    decode_raw as decode_raw,
    encode_base64 as encode_base64,
    string_to_number as string_to_number,
)
from ferroflow._src.ops.string.hashing import (
    string_to_hash_bucket as string_to_hash_bucket,
    string_to_hash_bucket_fast as string_to_hash_bucket_fast,
    string_to_hash_bucket_strong as string_to_hash_bucket_strong,
)
from ferroflow._src.ops.string.parts import (
    reduce_join as reduce_join,
    string_join as string_join,
    string_strip as string_strip,
)
from ferroflow._src.ops.superseded import (
    clip_by_average_norm as clip_by_average_norm,
    count_up_to as count_up_to,
    div as div,
    multinomial as multinomial,
    py_func as py_func,
    quantize_v2 as quantize_v2,
    setdiff1d as setdiff1d,
    sparse_to_dense as sparse_to_dense,
    substr as substr,
)
from ferroflow._src.ops.tensor_array import TensorArray as TensorArray
from ferroflow._src.session.session import (
    InteractiveSession as InteractiveSession,
    Session as Session,
)
from ferroflow._src.session.tensor_handle import (
    delete_session_tensor as delete_session_tensor,
    get_session_handle as get_session_handle,
    get_session_tensor as get_session_tensor,
)
from ferroflow._src.variables import resource_variable as _resource_variable  # noqa: F401  registers its kind
from ferroflow._src.variables.collections import (
    all_variables as all_variables,
    global_variables as global_variables,
    local_variables as local_variables,
    model_variables as model_variables,
    moving_average_variables as moving_average_variables,
    trainable_variables as trainable_variables,
)
from ferroflow._src.variables.creation import variable_creator_scope as variable_creator_scope
from ferroflow._src.variables.get_variable import (
    create_partitioned_variables as create_partitioned_variables,
    get_local_variable as get_local_variable,
    get_variable as get_variable,
    no_regularizer as no_regularizer,
)
from ferroflow._src.variables.initialization import (
    assert_variables_initialized as assert_variables_initialized,
    global_variables_initializer as global_variables_initializer,
    initialize_all_variables as initialize_all_variables,
    initialize_local_variables as initialize_local_variables,
    initialize_variables as initialize_variables,
    is_variable_initialized as is_variable_initialized,
    local_variables_initializer as local_variables_initializer,
    report_uninitialized_variables as report_uninitialized_variables,
    variables_initializer as variables_initializer,
)
from ferroflow._src.variables.initializers import (
    constant_initializer as constant_initializer,
    glorot_normal_initializer as glorot_normal_initializer,
    glorot_uniform_initializer as glorot_uniform_initializer,
    ones_initializer as ones_initializer,
    orthogonal_initializer as orthogonal_initializer,
    random_normal_initializer as random_normal_initializer,
    random_uniform_initializer as random_uniform_initializer,
    truncated_normal_initializer as truncated_normal_initializer,
    uniform_unit_scaling_initializer as uniform_unit_scaling_initializer,
    variance_scaling_initializer as variance_scaling_initializer,
    zeros_initializer as zeros_initializer,
)
from ferroflow._src.variables.module import Module as Module
from ferroflow._src.variables.partitioners import (
    fixed_size_partitioner as fixed_size_partitioner,
    min_max_variable_partitioner as min_max_variable_partitioner,
    variable_axis_size_partitioner as variable_axis_size_partitioner,
)
from ferroflow._src.variables.scope import (
    variable_op_scope as variable_op_scope,
    variable_scope as variable_scope,
)
from ferroflow._src.variables.synchronization import (
    VariableAggregation as VariableAggregation,
    VariableSynchronization as VariableSynchronization,
)
from ferroflow._src.variables.template import make_template as make_template
from ferroflow._src.variables.variable import Variable as Variable
from ferroflow._src.variables.variable_scope import (
    AUTO_REUSE as AUTO_REUSE,
    VariableScope as VariableScope,
    get_variable_scope as get_variable_scope,
)

get_static_value = _constant_value
no_gradient = _no_gradient

__version__ = VERSION
__git_version__ = GIT_VERSION
__compiler_version__ = COMPILER_VERSION

# Protobuf, and the modules that few programs touch, are loaded on first use.
_MESSAGES = frozenset(
    (
        "AttrValue",
        "ConfigProto",
        "Event",
        "GPUOptions",
        "GraphDef",
        "GraphOptions",
        "HistogramProto",
        "LogMessage",
        "MetaGraphDef",
        "NameAttrList",
        "NodeDef",
        "OptimizerOptions",
        "RunMetadata",
        "RunOptions",
        "SessionLog",
        "Summary",
        "SummaryMetadata",
        "TensorInfo",
    )
)
_MODULES = frozenset(
    (
        "app",
        "audio",
        "autograph",
        "bitwise",
        "compat",
        "config",
        "contrib",
        "core",
        "data",
        "debugging",
        "distribute",
        "distributions",
        "dtypes",
        "errors",
        "estimator",
        "examples",
        "feature_column",
        "flags",
        "gfile",
        "graph_util",
        "image",
        "initializers",
        "io",
        "keras",
        "layers",
        "linalg",
        "lite",
        "logging",
        "lookup",
        "losses",
        "manip",
        "math",
        "metrics",
        "nest",
        "nn",
        "profiler",
        "python",
        "python_io",
        "pywrap_tensorflow",
        "quantization",
        "queue",
        "ragged",
        "random",
        "raw_ops",
        "resource_loader",
        "saved_model",
        "sets",
        "signal",
        "sparse",
        "spectral",
        "strings",
        "summary",
        "sysconfig",
        "test",
        "tpu",
        "train",
        "user_ops",
        "version",
    )
)

tensor_scatter_nd_add = tensor_scatter_add
tensor_scatter_nd_sub = tensor_scatter_sub
tensor_scatter_nd_update = tensor_scatter_update

_set_public_modules(globals())
# Sessions return such values also to programs that do not load `tf.ragged`.
_set_public_modules({"__name__": "ferroflow.ragged", "RaggedTensorValue": _RaggedTensorValue})
_dispatch.late_modules.add("ferroflow._src.ops.ragged.dispatching")
_gradient_registry.late_modules.add("ferroflow._src.autodiff.rules")
_folder_writer.late_modules.add("ferroflow._src.contrib.saved_model.object_saving")
_graph.late_modules.add("ferroflow._src.drawing.notebook")
_proto_functions.late_modules.add("ferroflow._src.checkpoint.saver")
_proto_functions.late_modules.add("ferroflow._src.input.queue_runner")
_install_hooks()
_install_finder()
_serve("_src", _MovedModules())


# Names that few programs use: the modules of `_src` that have them, loaded on first use.
_LATE = {
    "GradientTape": "internals.gradient_tape",
    **dict.fromkeys(
        (
            "audio_summary",
            "histogram_summary",
            "image_summary",
            "merge_all_summaries",
            "merge_summary",
            "scalar_summary",
        ),
        "summary.renamed",
    ),
    "dimension_at_index": "base.tensor_shape",
    "dimension_value": "base.tensor_shape",
    "OptionalSpec": "data.optional",
    "function": "contrib.eager.function",
    "py_function": "autodiff.py_function",
    "wrap_function": "contrib.eager.wrapped_function",
}


def load_ipython_extension(ipython: _Any) -> None:
    """Calls `install_as_tensorflow` for `%load_ext ferroflow` in IPython.

    Args:
        ipython: the `InteractiveShell` that loads the extension.
    """
    install_as_tensorflow()


# Checkers see the names, and nothing else: a name that is spelled wrong is an error.
if _typing.TYPE_CHECKING:
    from ferroflow import (
        app as app,
        audio as audio,
        autograph as autograph,
        bitwise as bitwise,
        compat as compat,
        config as config,
        contrib as contrib,
        core as core,
        data as data,
        debugging as debugging,
        distribute as distribute,
        distributions as distributions,
        dtypes as dtypes,
        errors as errors,
        estimator as estimator,
        examples as examples,
        feature_column as feature_column,
        flags as flags,
        gfile as gfile,
        graph_util as graph_util,
        image as image,
        initializers as initializers,
        io as io,
        keras as keras,
        layers as layers,
        linalg as linalg,
        lite as lite,
        logging as logging,
        lookup as lookup,
        losses as losses,
        manip as manip,
        math as math,
        metrics as metrics,
        nest as nest,
        nn as nn,
        profiler as profiler,
        python as python,
        python_io as python_io,
        pywrap_tensorflow as pywrap_tensorflow,
        quantization as quantization,
        queue as queue,
        ragged as ragged,
        random as random,
        raw_ops as raw_ops,
        resource_loader as resource_loader,
        saved_model as saved_model,
        sets as sets,
        signal as signal,
        sparse as sparse,
        spectral as spectral,
        strings as strings,
        summary as summary,
        sysconfig as sysconfig,
        test as test,
        tpu as tpu,
        train as train,
        user_ops as user_ops,
        version as version,
    )
    from ferroflow._src.autodiff.py_function import py_function as py_function
    from ferroflow._src.base.proto import (
        AttrValue as AttrValue,
        ConfigProto as ConfigProto,
        Event as Event,
        GPUOptions as GPUOptions,
        GraphDef as GraphDef,
        GraphOptions as GraphOptions,
        HistogramProto as HistogramProto,
        LogMessage as LogMessage,
        MetaGraphDef as MetaGraphDef,
        NameAttrList as NameAttrList,
        NodeDef as NodeDef,
        OptimizerOptions as OptimizerOptions,
        RunMetadata as RunMetadata,
        RunOptions as RunOptions,
        SessionLog as SessionLog,
        Summary as Summary,
        SummaryMetadata as SummaryMetadata,
        TensorInfo as TensorInfo,
    )
    from ferroflow._src.base.tensor_shape import (
        dimension_at_index as dimension_at_index,
        dimension_value as dimension_value,
    )
    from ferroflow._src.contrib.eager.function import function as function
    from ferroflow._src.contrib.eager.wrapped_function import wrap_function as wrap_function
    from ferroflow._src.data.optional import OptionalSpec as OptionalSpec
    from ferroflow._src.internals.gradient_tape import GradientTape as GradientTape
    from ferroflow._src.summary.renamed import (
        audio_summary as audio_summary,
        histogram_summary as histogram_summary,
        image_summary as image_summary,
        merge_all_summaries as merge_all_summaries,
        merge_summary as merge_summary,
        scalar_summary as scalar_summary,
    )
else:

    def __getattr__(name: str) -> _Any:
        if name in _MESSAGES:
            # Programs make messages by the thousand: found once, a type is an attribute like any other.
            message = globals()[name] = getattr(_proto, name)
            return message
        if name in _LATE:
            found = globals()[name] = getattr(_importlib.import_module(f"ferroflow._src.{_LATE[name]}"), name)
            _set_public_modules({"__name__": "ferroflow", name: found})
            return found
        if name in _MODULES:
            return _importlib.import_module(f"ferroflow.{name}")
        if name == "__all__":
            # `from tensorflow import *` gives what is loaded late, too.
            return [public for public in __dir__() if not public.startswith("_")]
        raise _absent("ferroflow", name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATE, *_MESSAGES, *_MODULES})
