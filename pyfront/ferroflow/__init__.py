"""TensorFlow 1.x programs without TensorFlow: `import ferroflow as tf`."""

import importlib as _importlib
from typing import Any as _Any

from ferroflow import _core as _core_module
from ferroflow import app as app
from ferroflow import bitwise as bitwise
from ferroflow import compat as compat
from ferroflow import debugging as debugging
from ferroflow import dtypes as dtypes
from ferroflow import errors as errors
from ferroflow import flags as flags
from ferroflow import gfile as gfile
from ferroflow import graph_util as graph_util
from ferroflow import image as image
from ferroflow import initializers as initializers
from ferroflow import io as io
from ferroflow import logging as logging
from ferroflow import lookup as lookup
from ferroflow import manip as manip
from ferroflow import math as math
from ferroflow import nest as nest
from ferroflow import nn as nn
from ferroflow import python_io as python_io
from ferroflow import quantization as quantization
from ferroflow import random as random
from ferroflow import raw_ops as raw_ops
from ferroflow import resource_loader as resource_loader
from ferroflow import sets as sets
from ferroflow import sparse as sparse
from ferroflow import strings as strings
from ferroflow import summary as summary
from ferroflow import sysconfig as sysconfig
from ferroflow import train as train
from ferroflow._src.autodiff import rules as _rules  # noqa: F401  registers the gradients
from ferroflow._src.autodiff.aggregation import (
    AggregationMethod as AggregationMethod,
)
from ferroflow._src.autodiff.custom_gradient import (
    custom_gradient as custom_gradient,
)
from ferroflow._src.autodiff.gradients import (
    gradients as gradients,
)
from ferroflow._src.autodiff.hessians import (
    hessians as hessians,
)
from ferroflow._src.autodiff.unconnected import UnconnectedGradients as UnconnectedGradients
from ferroflow._src.base import proto as _proto
from ferroflow._src.base.behavior import (
    disable_control_flow_v2 as disable_control_flow_v2,
)
from ferroflow._src.base.behavior import (
    disable_eager_execution as disable_eager_execution,
)
from ferroflow._src.base.behavior import (
    disable_resource_variables as disable_resource_variables,
)
from ferroflow._src.base.behavior import (
    disable_tensor_equality as disable_tensor_equality,
)
from ferroflow._src.base.behavior import (
    disable_v2_behavior as disable_v2_behavior,
)
from ferroflow._src.base.behavior import (
    disable_v2_tensorshape as disable_v2_tensorshape,
)
from ferroflow._src.base.behavior import (
    enable_eager_execution as enable_eager_execution,
)
from ferroflow._src.base.behavior import (
    enable_resource_variables as enable_resource_variables,
)
from ferroflow._src.base.behavior import (
    enable_v2_behavior as enable_v2_behavior,
)
from ferroflow._src.base.behavior import (
    executing_eagerly as executing_eagerly,
)
from ferroflow._src.base.behavior import (
    resource_variables_enabled as resource_variables_enabled,
)
from ferroflow._src.base.device_spec import (
    DeviceSpec as DeviceSpec,
)
from ferroflow._src.base.dtypes import (
    QUANTIZED_DTYPES as QUANTIZED_DTYPES,
)
from ferroflow._src.base.dtypes import (
    DType as DType,
)
from ferroflow._src.base.dtypes import (
    as_dtype as as_dtype,
)
from ferroflow._src.base.dtypes import (
    bfloat16 as bfloat16,
)
from ferroflow._src.base.dtypes import (
    bool as bool,
)
from ferroflow._src.base.dtypes import (
    complex64 as complex64,
)
from ferroflow._src.base.dtypes import (
    complex128 as complex128,
)
from ferroflow._src.base.dtypes import (
    double as double,
)
from ferroflow._src.base.dtypes import (
    float16 as float16,
)
from ferroflow._src.base.dtypes import (
    float32 as float32,
)
from ferroflow._src.base.dtypes import (
    float64 as float64,
)
from ferroflow._src.base.dtypes import (
    half as half,
)
from ferroflow._src.base.dtypes import (
    int8 as int8,
)
from ferroflow._src.base.dtypes import (
    int16 as int16,
)
from ferroflow._src.base.dtypes import (
    int32 as int32,
)
from ferroflow._src.base.dtypes import (
    int64 as int64,
)
from ferroflow._src.base.dtypes import (
    qint8 as qint8,
)
from ferroflow._src.base.dtypes import (
    qint16 as qint16,
)
from ferroflow._src.base.dtypes import (
    qint32 as qint32,
)
from ferroflow._src.base.dtypes import (
    quint8 as quint8,
)
from ferroflow._src.base.dtypes import (
    quint16 as quint16,
)
from ferroflow._src.base.dtypes import (
    resource as resource,
)
from ferroflow._src.base.dtypes import (
    string as string,
)
from ferroflow._src.base.dtypes import (
    uint8 as uint8,
)
from ferroflow._src.base.dtypes import (
    uint16 as uint16,
)
from ferroflow._src.base.dtypes import (
    uint32 as uint32,
)
from ferroflow._src.base.dtypes import (
    uint64 as uint64,
)
from ferroflow._src.base.dtypes import (
    variant as variant,
)
from ferroflow._src.base.errors import (
    OpError as OpError,
)
from ferroflow._src.base.tensor_content import (
    make_ndarray as make_ndarray,
)
from ferroflow._src.base.tensor_content import (
    make_tensor_proto as make_tensor_proto,
)
from ferroflow._src.base.tensor_shape import (
    Dimension as Dimension,
)
from ferroflow._src.base.tensor_shape import (
    TensorShape as TensorShape,
)
from ferroflow._src.control_flow.choice import case as case
from ferroflow._src.control_flow.choice import switch_case as switch_case
from ferroflow._src.control_flow.conditional import cond as cond
from ferroflow._src.control_flow.functional import foldl as foldl
from ferroflow._src.control_flow.functional import foldr as foldr
from ferroflow._src.control_flow.functional import map_fn as map_fn
from ferroflow._src.control_flow.functional import scan as scan
from ferroflow._src.control_flow.loop import while_loop as while_loop
from ferroflow._src.framework.composite import (
    IndexedSlices as IndexedSlices,
)
from ferroflow._src.framework.composite import (
    IndexedSlicesValue as IndexedSlicesValue,
)
from ferroflow._src.framework.composite import (
    SparseTensor as SparseTensor,
)
from ferroflow._src.framework.composite import (
    SparseTensorValue as SparseTensorValue,
)
from ferroflow._src.framework.composite import (
    convert_to_tensor_or_indexed_slices as convert_to_tensor_or_indexed_slices,
)
from ferroflow._src.framework.composite import (
    convert_to_tensor_or_sparse_tensor as convert_to_tensor_or_sparse_tensor,
)
from ferroflow._src.framework.composite import is_tensor as is_tensor
from ferroflow._src.framework.constant import (
    constant as constant,
)
from ferroflow._src.framework.constant import constant_value as _constant_value
from ferroflow._src.framework.conversion import (
    convert_to_tensor as convert_to_tensor,
)
from ferroflow._src.framework.conversion import (
    register_tensor_conversion_function as register_tensor_conversion_function,
)
from ferroflow._src.framework.default_graph import (
    add_to_collection as add_to_collection,
)
from ferroflow._src.framework.default_graph import (
    add_to_collections as add_to_collections,
)
from ferroflow._src.framework.default_graph import (
    colocate_with as colocate_with,
)
from ferroflow._src.framework.default_graph import (
    container as container,
)
from ferroflow._src.framework.default_graph import (
    control_dependencies as control_dependencies,
)
from ferroflow._src.framework.default_graph import (
    device as device,
)
from ferroflow._src.framework.default_graph import (
    get_collection as get_collection,
)
from ferroflow._src.framework.default_graph import (
    get_collection_ref as get_collection_ref,
)
from ferroflow._src.framework.default_graph import (
    get_default_graph as get_default_graph,
)
from ferroflow._src.framework.default_graph import (
    init_scope as init_scope,
)
from ferroflow._src.framework.default_graph import (
    name_scope as name_scope,
)
from ferroflow._src.framework.default_graph import (
    op_scope as op_scope,
)
from ferroflow._src.framework.default_graph import (
    reset_default_graph as reset_default_graph,
)
from ferroflow._src.framework.default_stacks import (
    get_default_session as get_default_session,
)
from ferroflow._src.framework.gradient_registry import (
    NoGradient as NoGradient,
)
from ferroflow._src.framework.gradient_registry import NoGradient as _no_gradient
from ferroflow._src.framework.gradient_registry import (
    NotDifferentiable as NotDifferentiable,
)
from ferroflow._src.framework.gradient_registry import (
    RegisterGradient as RegisterGradient,
)
from ferroflow._src.framework.graph import (
    Graph as Graph,
)
from ferroflow._src.framework.graph_keys import (
    GraphKeys as GraphKeys,
)
from ferroflow._src.framework.import_graph_def import (
    import_graph_def as import_graph_def,
)
from ferroflow._src.framework.operation import (
    Operation as Operation,
)
from ferroflow._src.framework.random_seed import (
    get_seed as get_seed,
)
from ferroflow._src.framework.random_seed import (
    set_random_seed as set_random_seed,
)
from ferroflow._src.framework.tensor import (
    Tensor as Tensor,
)
from ferroflow._src.framework.tensor_spec import (
    TensorSpec as TensorSpec,
)
from ferroflow._src.ops import operators as _operators  # noqa: F401  installs the operators of tensors
from ferroflow._src.ops.array.indexing import batch_gather as batch_gather
from ferroflow._src.ops.array.indexing import (
    boolean_mask as boolean_mask,
)
from ferroflow._src.ops.array.indexing import (
    gather as gather,
)
from ferroflow._src.ops.array.indexing import (
    gather_nd as gather_nd,
)
from ferroflow._src.ops.array.indexing import (
    scatter_nd as scatter_nd,
)
from ferroflow._src.ops.array.indexing import (
    sparse_mask as sparse_mask,
)
from ferroflow._src.ops.array.indexing import tensor_scatter_add as tensor_scatter_add
from ferroflow._src.ops.array.indexing import tensor_scatter_sub as tensor_scatter_sub
from ferroflow._src.ops.array.indexing import tensor_scatter_update as tensor_scatter_update
from ferroflow._src.ops.array.indexing import (
    unique as unique,
)
from ferroflow._src.ops.array.indexing import (
    unique_with_counts as unique_with_counts,
)
from ferroflow._src.ops.array.indexing import unravel_index as unravel_index
from ferroflow._src.ops.array.indexing import (
    where as where,
)
from ferroflow._src.ops.array.joining import (
    concat as concat,
)
from ferroflow._src.ops.array.joining import (
    dynamic_partition as dynamic_partition,
)
from ferroflow._src.ops.array.joining import (
    dynamic_stitch as dynamic_stitch,
)
from ferroflow._src.ops.array.joining import (
    meshgrid as meshgrid,
)
from ferroflow._src.ops.array.joining import (
    parallel_stack as parallel_stack,
)
from ferroflow._src.ops.array.joining import (
    split as split,
)
from ferroflow._src.ops.array.joining import (
    stack as stack,
)
from ferroflow._src.ops.array.joining import (
    unstack as unstack,
)
from ferroflow._src.ops.array.making import ensure_shape as ensure_shape
from ferroflow._src.ops.array.making import (
    fill as fill,
)
from ferroflow._src.ops.array.making import (
    guarantee_const as guarantee_const,
)
from ferroflow._src.ops.array.making import (
    identity as identity,
)
from ferroflow._src.ops.array.making import (
    identity_n as identity_n,
)
from ferroflow._src.ops.array.making import (
    lin_space as lin_space,
)
from ferroflow._src.ops.array.making import (
    linspace as linspace,
)
from ferroflow._src.ops.array.making import (
    one_hot as one_hot,
)
from ferroflow._src.ops.array.making import (
    ones as ones,
)
from ferroflow._src.ops.array.making import (
    ones_like as ones_like,
)
from ferroflow._src.ops.array.making import (
    placeholder as placeholder,
)
from ferroflow._src.ops.array.making import (
    placeholder_with_default as placeholder_with_default,
)
from ferroflow._src.ops.array.making import (
    range as range,
)
from ferroflow._src.ops.array.making import (
    sequence_mask as sequence_mask,
)
from ferroflow._src.ops.array.making import (
    sparse_placeholder as sparse_placeholder,
)
from ferroflow._src.ops.array.making import (
    stop_gradient as stop_gradient,
)
from ferroflow._src.ops.array.making import (
    zeros as zeros,
)
from ferroflow._src.ops.array.making import (
    zeros_like as zeros_like,
)
from ferroflow._src.ops.array.shaping import (
    batch_to_space as batch_to_space,
)
from ferroflow._src.ops.array.shaping import (
    batch_to_space_nd as batch_to_space_nd,
)
from ferroflow._src.ops.array.shaping import (
    broadcast_dynamic_shape as broadcast_dynamic_shape,
)
from ferroflow._src.ops.array.shaping import (
    broadcast_static_shape as broadcast_static_shape,
)
from ferroflow._src.ops.array.shaping import broadcast_to as broadcast_to
from ferroflow._src.ops.array.shaping import (
    depth_to_space as depth_to_space,
)
from ferroflow._src.ops.array.shaping import (
    expand_dims as expand_dims,
)
from ferroflow._src.ops.array.shaping import (
    invert_permutation as invert_permutation,
)
from ferroflow._src.ops.array.shaping import (
    pad as pad,
)
from ferroflow._src.ops.array.shaping import (
    rank as rank,
)
from ferroflow._src.ops.array.shaping import repeat as repeat
from ferroflow._src.ops.array.shaping import (
    reshape as reshape,
)
from ferroflow._src.ops.array.shaping import (
    reverse as reverse,
)
from ferroflow._src.ops.array.shaping import (
    reverse_sequence as reverse_sequence,
)
from ferroflow._src.ops.array.shaping import (
    reverse_v2 as reverse_v2,
)
from ferroflow._src.ops.array.shaping import roll as roll
from ferroflow._src.ops.array.shaping import (
    shape as shape,
)
from ferroflow._src.ops.array.shaping import (
    shape_n as shape_n,
)
from ferroflow._src.ops.array.shaping import (
    size as size,
)
from ferroflow._src.ops.array.shaping import (
    space_to_batch as space_to_batch,
)
from ferroflow._src.ops.array.shaping import (
    space_to_batch_nd as space_to_batch_nd,
)
from ferroflow._src.ops.array.shaping import (
    space_to_depth as space_to_depth,
)
from ferroflow._src.ops.array.shaping import (
    squeeze as squeeze,
)
from ferroflow._src.ops.array.shaping import (
    tile as tile,
)
from ferroflow._src.ops.array.shaping import (
    transpose as transpose,
)
from ferroflow._src.ops.array.slicing import (
    newaxis as newaxis,
)
from ferroflow._src.ops.array.slicing import (
    slice as slice,
)
from ferroflow._src.ops.array.slicing import (
    strided_slice as strided_slice,
)
from ferroflow._src.ops.array.sorting import argsort as argsort
from ferroflow._src.ops.array.sorting import searchsorted as searchsorted
from ferroflow._src.ops.array.sorting import sort as sort
from ferroflow._src.ops.array.space_to_batch import (
    required_space_to_batch_paddings as required_space_to_batch_paddings,
)
from ferroflow._src.ops.file.whole import (
    matching_files as matching_files,
)
from ferroflow._src.ops.file.whole import (
    read_file as read_file,
)
from ferroflow._src.ops.file.whole import (
    write_file as write_file,
)
from ferroflow._src.ops.flow.checking import (
    Assert as Assert,
)
from ferroflow._src.ops.flow.checking import (
    add_check_numerics_ops as add_check_numerics_ops,
)
from ferroflow._src.ops.flow.checking import (
    assert_equal as assert_equal,
)
from ferroflow._src.ops.flow.checking import (
    assert_greater as assert_greater,
)
from ferroflow._src.ops.flow.checking import (
    assert_greater_equal as assert_greater_equal,
)
from ferroflow._src.ops.flow.checking import (
    assert_integer as assert_integer,
)
from ferroflow._src.ops.flow.checking import (
    assert_less as assert_less,
)
from ferroflow._src.ops.flow.checking import (
    assert_less_equal as assert_less_equal,
)
from ferroflow._src.ops.flow.checking import (
    assert_near as assert_near,
)
from ferroflow._src.ops.flow.checking import (
    assert_negative as assert_negative,
)
from ferroflow._src.ops.flow.checking import (
    assert_non_negative as assert_non_negative,
)
from ferroflow._src.ops.flow.checking import (
    assert_non_positive as assert_non_positive,
)
from ferroflow._src.ops.flow.checking import (
    assert_none_equal as assert_none_equal,
)
from ferroflow._src.ops.flow.checking import (
    assert_positive as assert_positive,
)
from ferroflow._src.ops.flow.checking import (
    assert_proper_iterable as assert_proper_iterable,
)
from ferroflow._src.ops.flow.checking import (
    assert_rank as assert_rank,
)
from ferroflow._src.ops.flow.checking import (
    assert_rank_at_least as assert_rank_at_least,
)
from ferroflow._src.ops.flow.checking import (
    assert_rank_in as assert_rank_in,
)
from ferroflow._src.ops.flow.checking import (
    assert_same_float_dtype as assert_same_float_dtype,
)
from ferroflow._src.ops.flow.checking import (
    assert_scalar as assert_scalar,
)
from ferroflow._src.ops.flow.checking import (
    assert_type as assert_type,
)
from ferroflow._src.ops.flow.checking import (
    check_numerics as check_numerics,
)
from ferroflow._src.ops.flow.checking import (
    is_non_decreasing as is_non_decreasing,
)
from ferroflow._src.ops.flow.checking import (
    is_numeric_tensor as is_numeric_tensor,
)
from ferroflow._src.ops.flow.checking import (
    is_strictly_increasing as is_strictly_increasing,
)
from ferroflow._src.ops.flow.checking import (
    verify_tensor_all_finite as verify_tensor_all_finite,
)
from ferroflow._src.ops.flow.grouping import (
    group as group,
)
from ferroflow._src.ops.flow.grouping import (
    no_op as no_op,
)
from ferroflow._src.ops.flow.grouping import (
    tuple as tuple,
)
from ferroflow._src.ops.flow.printing import (
    Print as Print,
)
from ferroflow._src.ops.flow.printing import (
    print as print,
)
from ferroflow._src.ops.image.cropping import (
    extract_image_patches as extract_image_patches,
)
from ferroflow._src.ops.linalg.decomposing import (
    qr as qr,
)
from ferroflow._src.ops.linalg.decomposing import (
    self_adjoint_eig as self_adjoint_eig,
)
from ferroflow._src.ops.linalg.decomposing import (
    self_adjoint_eigvals as self_adjoint_eigvals,
)
from ferroflow._src.ops.linalg.decomposing import (
    svd as svd,
)
from ferroflow._src.ops.linalg.determinant import (
    log_matrix_determinant as log_matrix_determinant,
)
from ferroflow._src.ops.linalg.determinant import (
    matrix_determinant as matrix_determinant,
)
from ferroflow._src.ops.linalg.einsum import (
    einsum as einsum,
)
from ferroflow._src.ops.linalg.matrix_function import (
    matrix_exponential as matrix_exponential,
)
from ferroflow._src.ops.linalg.matrix_function import (
    matrix_logarithm as matrix_logarithm,
)
from ferroflow._src.ops.linalg.matrix_function import (
    matrix_square_root as matrix_square_root,
)
from ferroflow._src.ops.linalg.norm import (
    norm as norm,
)
from ferroflow._src.ops.linalg.solving import (
    cholesky as cholesky,
)
from ferroflow._src.ops.linalg.solving import (
    cholesky_solve as cholesky_solve,
)
from ferroflow._src.ops.linalg.solving import (
    matrix_inverse as matrix_inverse,
)
from ferroflow._src.ops.linalg.solving import (
    matrix_solve as matrix_solve,
)
from ferroflow._src.ops.linalg.solving import (
    matrix_solve_ls as matrix_solve_ls,
)
from ferroflow._src.ops.linalg.solving import (
    matrix_triangular_solve as matrix_triangular_solve,
)
from ferroflow._src.ops.lookup.table import (
    initialize_all_tables as initialize_all_tables,
)
from ferroflow._src.ops.lookup.table import (
    tables_initializer as tables_initializer,
)
from ferroflow._src.ops.math.arithmetic import (
    accumulate_n as accumulate_n,
)
from ferroflow._src.ops.math.arithmetic import (
    add as add,
)
from ferroflow._src.ops.math.arithmetic import (
    add_n as add_n,
)
from ferroflow._src.ops.math.arithmetic import (
    atan2 as atan2,
)
from ferroflow._src.ops.math.arithmetic import (
    betainc as betainc,
)
from ferroflow._src.ops.math.arithmetic import (
    cross as cross,
)
from ferroflow._src.ops.math.arithmetic import div_no_nan as div_no_nan
from ferroflow._src.ops.math.arithmetic import (
    divide as divide,
)
from ferroflow._src.ops.math.arithmetic import (
    floor_div as floor_div,
)
from ferroflow._src.ops.math.arithmetic import (
    floordiv as floordiv,
)
from ferroflow._src.ops.math.arithmetic import (
    floormod as floormod,
)
from ferroflow._src.ops.math.arithmetic import (
    igamma as igamma,
)
from ferroflow._src.ops.math.arithmetic import (
    igammac as igammac,
)
from ferroflow._src.ops.math.arithmetic import (
    maximum as maximum,
)
from ferroflow._src.ops.math.arithmetic import (
    minimum as minimum,
)
from ferroflow._src.ops.math.arithmetic import (
    mod as mod,
)
from ferroflow._src.ops.math.arithmetic import (
    multiply as multiply,
)
from ferroflow._src.ops.math.arithmetic import (
    polygamma as polygamma,
)
from ferroflow._src.ops.math.arithmetic import (
    pow as pow,
)
from ferroflow._src.ops.math.arithmetic import (
    realdiv as realdiv,
)
from ferroflow._src.ops.math.arithmetic import (
    scalar_mul as scalar_mul,
)
from ferroflow._src.ops.math.arithmetic import (
    squared_difference as squared_difference,
)
from ferroflow._src.ops.math.arithmetic import (
    subtract as subtract,
)
from ferroflow._src.ops.math.arithmetic import (
    truediv as truediv,
)
from ferroflow._src.ops.math.arithmetic import (
    truncatediv as truncatediv,
)
from ferroflow._src.ops.math.arithmetic import (
    truncatemod as truncatemod,
)
from ferroflow._src.ops.math.arithmetic import (
    zeta as zeta,
)
from ferroflow._src.ops.math.beta import (
    lbeta as lbeta,
)
from ferroflow._src.ops.math.cast import (
    bitcast as bitcast,
)
from ferroflow._src.ops.math.cast import (
    cast as cast,
)
from ferroflow._src.ops.math.cast import (
    complex as complex,
)
from ferroflow._src.ops.math.cast import (
    imag as imag,
)
from ferroflow._src.ops.math.cast import (
    real as real,
)
from ferroflow._src.ops.math.cast import (
    saturate_cast as saturate_cast,
)
from ferroflow._src.ops.math.cast import (
    to_bfloat16 as to_bfloat16,
)
from ferroflow._src.ops.math.cast import (
    to_complex64 as to_complex64,
)
from ferroflow._src.ops.math.cast import (
    to_complex128 as to_complex128,
)
from ferroflow._src.ops.math.cast import (
    to_double as to_double,
)
from ferroflow._src.ops.math.cast import (
    to_float as to_float,
)
from ferroflow._src.ops.math.cast import (
    to_int32 as to_int32,
)
from ferroflow._src.ops.math.cast import (
    to_int64 as to_int64,
)
from ferroflow._src.ops.math.clipping import (
    clip_by_global_norm as clip_by_global_norm,
)
from ferroflow._src.ops.math.clipping import (
    clip_by_norm as clip_by_norm,
)
from ferroflow._src.ops.math.clipping import (
    clip_by_value as clip_by_value,
)
from ferroflow._src.ops.math.clipping import (
    global_norm as global_norm,
)
from ferroflow._src.ops.math.comparison import (
    equal as equal,
)
from ferroflow._src.ops.math.comparison import (
    greater as greater,
)
from ferroflow._src.ops.math.comparison import (
    greater_equal as greater_equal,
)
from ferroflow._src.ops.math.comparison import (
    less as less,
)
from ferroflow._src.ops.math.comparison import (
    less_equal as less_equal,
)
from ferroflow._src.ops.math.comparison import (
    logical_and as logical_and,
)
from ferroflow._src.ops.math.comparison import (
    logical_or as logical_or,
)
from ferroflow._src.ops.math.comparison import (
    logical_xor as logical_xor,
)
from ferroflow._src.ops.math.comparison import (
    not_equal as not_equal,
)
from ferroflow._src.ops.math.confusion_matrix import (
    confusion_matrix as confusion_matrix,
)
from ferroflow._src.ops.math.counting import (
    histogram_fixed_width as histogram_fixed_width,
)
from ferroflow._src.ops.math.counting import (
    histogram_fixed_width_bins as histogram_fixed_width_bins,
)
from ferroflow._src.ops.math.elementwise import (
    abs as abs,
)
from ferroflow._src.ops.math.elementwise import (
    acos as acos,
)
from ferroflow._src.ops.math.elementwise import (
    acosh as acosh,
)
from ferroflow._src.ops.math.elementwise import (
    angle as angle,
)
from ferroflow._src.ops.math.elementwise import (
    asin as asin,
)
from ferroflow._src.ops.math.elementwise import (
    asinh as asinh,
)
from ferroflow._src.ops.math.elementwise import (
    atan as atan,
)
from ferroflow._src.ops.math.elementwise import (
    atanh as atanh,
)
from ferroflow._src.ops.math.elementwise import (
    ceil as ceil,
)
from ferroflow._src.ops.math.elementwise import (
    conj as conj,
)
from ferroflow._src.ops.math.elementwise import (
    cos as cos,
)
from ferroflow._src.ops.math.elementwise import (
    cosh as cosh,
)
from ferroflow._src.ops.math.elementwise import (
    digamma as digamma,
)
from ferroflow._src.ops.math.elementwise import (
    erf as erf,
)
from ferroflow._src.ops.math.elementwise import (
    erfc as erfc,
)
from ferroflow._src.ops.math.elementwise import (
    exp as exp,
)
from ferroflow._src.ops.math.elementwise import (
    expm1 as expm1,
)
from ferroflow._src.ops.math.elementwise import (
    floor as floor,
)
from ferroflow._src.ops.math.elementwise import (
    is_finite as is_finite,
)
from ferroflow._src.ops.math.elementwise import (
    is_inf as is_inf,
)
from ferroflow._src.ops.math.elementwise import (
    is_nan as is_nan,
)
from ferroflow._src.ops.math.elementwise import (
    lgamma as lgamma,
)
from ferroflow._src.ops.math.elementwise import (
    log as log,
)
from ferroflow._src.ops.math.elementwise import (
    log1p as log1p,
)
from ferroflow._src.ops.math.elementwise import (
    logical_not as logical_not,
)
from ferroflow._src.ops.math.elementwise import (
    negative as negative,
)
from ferroflow._src.ops.math.elementwise import (
    reciprocal as reciprocal,
)
from ferroflow._src.ops.math.elementwise import (
    rint as rint,
)
from ferroflow._src.ops.math.elementwise import (
    round as round,
)
from ferroflow._src.ops.math.elementwise import (
    rsqrt as rsqrt,
)
from ferroflow._src.ops.math.elementwise import (
    sigmoid as sigmoid,
)
from ferroflow._src.ops.math.elementwise import (
    sign as sign,
)
from ferroflow._src.ops.math.elementwise import (
    sin as sin,
)
from ferroflow._src.ops.math.elementwise import (
    sinh as sinh,
)
from ferroflow._src.ops.math.elementwise import (
    sqrt as sqrt,
)
from ferroflow._src.ops.math.elementwise import (
    square as square,
)
from ferroflow._src.ops.math.elementwise import (
    tan as tan,
)
from ferroflow._src.ops.math.elementwise import (
    tanh as tanh,
)
from ferroflow._src.ops.math.linalg import (
    diag as diag,
)
from ferroflow._src.ops.math.linalg import (
    diag_part as diag_part,
)
from ferroflow._src.ops.math.linalg import (
    eye as eye,
)
from ferroflow._src.ops.math.linalg import (
    matmul as matmul,
)
from ferroflow._src.ops.math.linalg import (
    matrix_band_part as matrix_band_part,
)
from ferroflow._src.ops.math.linalg import (
    matrix_diag as matrix_diag,
)
from ferroflow._src.ops.math.linalg import (
    matrix_diag_part as matrix_diag_part,
)
from ferroflow._src.ops.math.linalg import (
    matrix_set_diag as matrix_set_diag,
)
from ferroflow._src.ops.math.linalg import (
    matrix_transpose as matrix_transpose,
)
from ferroflow._src.ops.math.linalg import (
    matvec as matvec,
)
from ferroflow._src.ops.math.linalg import (
    sparse_matmul as sparse_matmul,
)
from ferroflow._src.ops.math.linalg import (
    tensordot as tensordot,
)
from ferroflow._src.ops.math.linalg import (
    trace as trace,
)
from ferroflow._src.ops.math.reduction import (
    arg_max as arg_max,
)
from ferroflow._src.ops.math.reduction import (
    arg_min as arg_min,
)
from ferroflow._src.ops.math.reduction import (
    argmax as argmax,
)
from ferroflow._src.ops.math.reduction import (
    argmin as argmin,
)
from ferroflow._src.ops.math.reduction import (
    count_nonzero as count_nonzero,
)
from ferroflow._src.ops.math.reduction import (
    reduce_all as reduce_all,
)
from ferroflow._src.ops.math.reduction import (
    reduce_any as reduce_any,
)
from ferroflow._src.ops.math.reduction import (
    reduce_logsumexp as reduce_logsumexp,
)
from ferroflow._src.ops.math.reduction import (
    reduce_max as reduce_max,
)
from ferroflow._src.ops.math.reduction import (
    reduce_mean as reduce_mean,
)
from ferroflow._src.ops.math.reduction import (
    reduce_min as reduce_min,
)
from ferroflow._src.ops.math.reduction import (
    reduce_prod as reduce_prod,
)
from ferroflow._src.ops.math.reduction import (
    reduce_sum as reduce_sum,
)
from ferroflow._src.ops.math.segment import (
    bincount as bincount,
)
from ferroflow._src.ops.math.segment import (
    cumprod as cumprod,
)
from ferroflow._src.ops.math.segment import (
    cumsum as cumsum,
)
from ferroflow._src.ops.math.segment import (
    segment_max as segment_max,
)
from ferroflow._src.ops.math.segment import (
    segment_mean as segment_mean,
)
from ferroflow._src.ops.math.segment import (
    segment_min as segment_min,
)
from ferroflow._src.ops.math.segment import (
    segment_prod as segment_prod,
)
from ferroflow._src.ops.math.segment import (
    segment_sum as segment_sum,
)
from ferroflow._src.ops.math.segment import (
    sparse_segment_mean as sparse_segment_mean,
)
from ferroflow._src.ops.math.segment import (
    sparse_segment_sqrt_n as sparse_segment_sqrt_n,
)
from ferroflow._src.ops.math.segment import (
    sparse_segment_sum as sparse_segment_sum,
)
from ferroflow._src.ops.math.segment import (
    unsorted_segment_max as unsorted_segment_max,
)
from ferroflow._src.ops.math.segment import (
    unsorted_segment_mean as unsorted_segment_mean,
)
from ferroflow._src.ops.math.segment import (
    unsorted_segment_min as unsorted_segment_min,
)
from ferroflow._src.ops.math.segment import (
    unsorted_segment_prod as unsorted_segment_prod,
)
from ferroflow._src.ops.math.segment import (
    unsorted_segment_sqrt_n as unsorted_segment_sqrt_n,
)
from ferroflow._src.ops.math.segment import (
    unsorted_segment_sum as unsorted_segment_sum,
)
from ferroflow._src.ops.nn.activation import (
    log_sigmoid as log_sigmoid,
)
from ferroflow._src.ops.parsing.examples import (
    parse_example as parse_example,
)
from ferroflow._src.ops.parsing.examples import (
    parse_single_example as parse_single_example,
)
from ferroflow._src.ops.parsing.examples import (
    parse_single_sequence_example as parse_single_sequence_example,
)
from ferroflow._src.ops.parsing.features import (
    FixedLenFeature as FixedLenFeature,
)
from ferroflow._src.ops.parsing.features import (
    FixedLenSequenceFeature as FixedLenSequenceFeature,
)
from ferroflow._src.ops.parsing.features import (
    SparseFeature as SparseFeature,
)
from ferroflow._src.ops.parsing.features import (
    VarLenFeature as VarLenFeature,
)
from ferroflow._src.ops.parsing.tensors import (
    parse_tensor as parse_tensor,
)
from ferroflow._src.ops.parsing.tensors import (
    serialize_tensor as serialize_tensor,
)
from ferroflow._src.ops.parsing.text import (
    decode_csv as decode_csv,
)
from ferroflow._src.ops.parsing.text import (
    decode_json_example as decode_json_example,
)
from ferroflow._src.ops.quantization.steps import (
    dequantize as dequantize,
)
from ferroflow._src.ops.quantization.steps import (
    fake_quant_with_min_max_args as fake_quant_with_min_max_args,
)
from ferroflow._src.ops.quantization.steps import (
    fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient,
)
from ferroflow._src.ops.quantization.steps import (
    fake_quant_with_min_max_vars as fake_quant_with_min_max_vars,
)
from ferroflow._src.ops.quantization.steps import (
    fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient,
)
from ferroflow._src.ops.quantization.steps import (
    fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel,
)
from ferroflow._src.ops.quantization.steps import (
    fake_quant_with_min_max_vars_per_channel_gradient as fake_quant_with_min_max_vars_per_channel_gradient,
)
from ferroflow._src.ops.quantization.steps import (
    quantize as quantize,
)
from ferroflow._src.ops.queue.queues import (
    FIFOQueue as FIFOQueue,
)
from ferroflow._src.ops.queue.queues import (
    PaddingFIFOQueue as PaddingFIFOQueue,
)
from ferroflow._src.ops.queue.queues import (
    PriorityQueue as PriorityQueue,
)
from ferroflow._src.ops.queue.queues import (
    QueueBase as QueueBase,
)
from ferroflow._src.ops.queue.queues import (
    RandomShuffleQueue as RandomShuffleQueue,
)
from ferroflow._src.ops.random.sampling import (
    random_crop as random_crop,
)
from ferroflow._src.ops.random.sampling import (
    random_gamma as random_gamma,
)
from ferroflow._src.ops.random.sampling import (
    random_normal as random_normal,
)
from ferroflow._src.ops.random.sampling import (
    random_poisson as random_poisson,
)
from ferroflow._src.ops.random.sampling import (
    random_shuffle as random_shuffle,
)
from ferroflow._src.ops.random.sampling import (
    random_uniform as random_uniform,
)
from ferroflow._src.ops.random.sampling import (
    truncated_normal as truncated_normal,
)
from ferroflow._src.ops.reader.readers import (
    FixedLengthRecordReader as FixedLengthRecordReader,
)
from ferroflow._src.ops.reader.readers import (
    IdentityReader as IdentityReader,
)
from ferroflow._src.ops.reader.readers import (
    ReaderBase as ReaderBase,
)
from ferroflow._src.ops.reader.readers import (
    TextLineReader as TextLineReader,
)
from ferroflow._src.ops.reader.readers import (
    TFRecordReader as TFRecordReader,
)
from ferroflow._src.ops.reader.readers import (
    WholeFileReader as WholeFileReader,
)
from ferroflow._src.ops.removed import REMOVED_NAMES as _REMOVED_NAMES
from ferroflow._src.ops.renamed import batch_matmul as batch_matmul
from ferroflow._src.ops.renamed import batch_matrix_band_part as batch_matrix_band_part
from ferroflow._src.ops.renamed import batch_matrix_diag as batch_matrix_diag
from ferroflow._src.ops.renamed import batch_matrix_diag_part as batch_matrix_diag_part
from ferroflow._src.ops.renamed import batch_matrix_set_diag as batch_matrix_set_diag
from ferroflow._src.ops.renamed import batch_matrix_transpose as batch_matrix_transpose
from ferroflow._src.ops.renamed import complex_abs as complex_abs
from ferroflow._src.ops.renamed import concat_v2 as concat_v2
from ferroflow._src.ops.renamed import inv as inv
from ferroflow._src.ops.renamed import mul as mul
from ferroflow._src.ops.renamed import neg as neg
from ferroflow._src.ops.renamed import pack as pack
from ferroflow._src.ops.renamed import select as select
from ferroflow._src.ops.renamed import split_v as split_v
from ferroflow._src.ops.renamed import sub as sub
from ferroflow._src.ops.renamed import unpack as unpack
from ferroflow._src.ops.script.py_func import (
    numpy_function as numpy_function,
)
from ferroflow._src.ops.sparse.arithmetic import (
    sparse_add as sparse_add,
)
from ferroflow._src.ops.sparse.arithmetic import (
    sparse_maximum as sparse_maximum,
)
from ferroflow._src.ops.sparse.arithmetic import (
    sparse_minimum as sparse_minimum,
)
from ferroflow._src.ops.sparse.arithmetic import (
    sparse_reduce_max as sparse_reduce_max,
)
from ferroflow._src.ops.sparse.arithmetic import (
    sparse_reduce_max_sparse as sparse_reduce_max_sparse,
)
from ferroflow._src.ops.sparse.arithmetic import (
    sparse_reduce_sum as sparse_reduce_sum,
)
from ferroflow._src.ops.sparse.arithmetic import (
    sparse_reduce_sum_sparse as sparse_reduce_sum_sparse,
)
from ferroflow._src.ops.sparse.arithmetic import (
    sparse_softmax as sparse_softmax,
)
from ferroflow._src.ops.sparse.arithmetic import (
    sparse_tensor_dense_matmul as sparse_tensor_dense_matmul,
)
from ferroflow._src.ops.sparse.comparing import (
    edit_distance as edit_distance,
)
from ferroflow._src.ops.sparse.converting import (
    sparse_merge as sparse_merge,
)
from ferroflow._src.ops.sparse.converting import (
    sparse_tensor_to_dense as sparse_tensor_to_dense,
)
from ferroflow._src.ops.sparse.converting import (
    sparse_to_indicator as sparse_to_indicator,
)
from ferroflow._src.ops.sparse.serializing import (
    deserialize_many_sparse as deserialize_many_sparse,
)
from ferroflow._src.ops.sparse.serializing import (
    serialize_many_sparse as serialize_many_sparse,
)
from ferroflow._src.ops.sparse.serializing import (
    serialize_sparse as serialize_sparse,
)
from ferroflow._src.ops.sparse.shaping import (
    sparse_concat as sparse_concat,
)
from ferroflow._src.ops.sparse.shaping import (
    sparse_fill_empty_rows as sparse_fill_empty_rows,
)
from ferroflow._src.ops.sparse.shaping import (
    sparse_reorder as sparse_reorder,
)
from ferroflow._src.ops.sparse.shaping import (
    sparse_reset_shape as sparse_reset_shape,
)
from ferroflow._src.ops.sparse.shaping import (
    sparse_reshape as sparse_reshape,
)
from ferroflow._src.ops.sparse.shaping import (
    sparse_retain as sparse_retain,
)
from ferroflow._src.ops.sparse.shaping import (
    sparse_slice as sparse_slice,
)
from ferroflow._src.ops.sparse.shaping import (
    sparse_split as sparse_split,
)
from ferroflow._src.ops.sparse.shaping import (
    sparse_transpose as sparse_transpose,
)
from ferroflow._src.ops.spectral.fourier import (
    fft as fft,
)
from ferroflow._src.ops.spectral.fourier import (
    fft2d as fft2d,
)
from ferroflow._src.ops.spectral.fourier import (
    fft3d as fft3d,
)
from ferroflow._src.ops.spectral.fourier import (
    ifft as ifft,
)
from ferroflow._src.ops.spectral.fourier import (
    ifft2d as ifft2d,
)
from ferroflow._src.ops.spectral.fourier import (
    ifft3d as ifft3d,
)
from ferroflow._src.ops.state.accumulating import (
    ConditionalAccumulator as ConditionalAccumulator,
)
from ferroflow._src.ops.state.accumulating import (
    ConditionalAccumulatorBase as ConditionalAccumulatorBase,
)
from ferroflow._src.ops.state.accumulating import (
    SparseConditionalAccumulator as SparseConditionalAccumulator,
)
from ferroflow._src.ops.state.assigning import (
    assign as assign,
)
from ferroflow._src.ops.state.assigning import (
    assign_add as assign_add,
)
from ferroflow._src.ops.state.assigning import (
    assign_sub as assign_sub,
)
from ferroflow._src.ops.state.assigning import (
    scatter_add as scatter_add,
)
from ferroflow._src.ops.state.assigning import (
    scatter_div as scatter_div,
)
from ferroflow._src.ops.state.assigning import (
    scatter_max as scatter_max,
)
from ferroflow._src.ops.state.assigning import (
    scatter_min as scatter_min,
)
from ferroflow._src.ops.state.assigning import (
    scatter_mul as scatter_mul,
)
from ferroflow._src.ops.state.assigning import (
    scatter_nd_add as scatter_nd_add,
)
from ferroflow._src.ops.state.assigning import (
    scatter_nd_sub as scatter_nd_sub,
)
from ferroflow._src.ops.state.assigning import (
    scatter_nd_update as scatter_nd_update,
)
from ferroflow._src.ops.state.assigning import (
    scatter_sub as scatter_sub,
)
from ferroflow._src.ops.state.assigning import (
    scatter_update as scatter_update,
)
from ferroflow._src.ops.string.characters import (
    regex_replace as regex_replace,
)
from ferroflow._src.ops.string.encoding import (
    as_string as as_string,
)
from ferroflow._src.ops.string.encoding import (
    decode_base64 as decode_base64,
)
from ferroflow._src.ops.string.encoding import (
    decode_compressed as decode_compressed,
)
from ferroflow._src.ops.string.encoding import (
    decode_raw as decode_raw,
)
from ferroflow._src.ops.string.encoding import (
    encode_base64 as encode_base64,
)
from ferroflow._src.ops.string.encoding import (
    string_to_number as string_to_number,
)
from ferroflow._src.ops.string.hashing import (
    string_to_hash_bucket as string_to_hash_bucket,
)
from ferroflow._src.ops.string.hashing import (
    string_to_hash_bucket_fast as string_to_hash_bucket_fast,
)
from ferroflow._src.ops.string.hashing import (
    string_to_hash_bucket_strong as string_to_hash_bucket_strong,
)
from ferroflow._src.ops.string.parts import (
    reduce_join as reduce_join,
)
from ferroflow._src.ops.string.parts import (
    string_join as string_join,
)
from ferroflow._src.ops.string.parts import (
    string_split as string_split,
)
from ferroflow._src.ops.string.parts import (
    string_strip as string_strip,
)
from ferroflow._src.ops.superseded import clip_by_average_norm as clip_by_average_norm
from ferroflow._src.ops.superseded import count_up_to as count_up_to
from ferroflow._src.ops.superseded import div as div
from ferroflow._src.ops.superseded import multinomial as multinomial
from ferroflow._src.ops.superseded import py_func as py_func
from ferroflow._src.ops.superseded import quantize_v2 as quantize_v2
from ferroflow._src.ops.superseded import setdiff1d as setdiff1d
from ferroflow._src.ops.superseded import sparse_to_dense as sparse_to_dense
from ferroflow._src.ops.superseded import substr as substr
from ferroflow._src.ops.tensor_array import TensorArray as TensorArray
from ferroflow._src.session.session import (
    InteractiveSession as InteractiveSession,
)
from ferroflow._src.session.session import (
    Session as Session,
)
from ferroflow._src.session.tensor_handle import (
    delete_session_tensor as delete_session_tensor,
)
from ferroflow._src.session.tensor_handle import (
    get_session_handle as get_session_handle,
)
from ferroflow._src.session.tensor_handle import (
    get_session_tensor as get_session_tensor,
)
from ferroflow._src.summary.renamed import (
    audio_summary as audio_summary,
)
from ferroflow._src.summary.renamed import (
    histogram_summary as histogram_summary,
)
from ferroflow._src.summary.renamed import (
    image_summary as image_summary,
)
from ferroflow._src.summary.renamed import (
    merge_all_summaries as merge_all_summaries,
)
from ferroflow._src.summary.renamed import (
    merge_summary as merge_summary,
)
from ferroflow._src.summary.renamed import (
    scalar_summary as scalar_summary,
)
from ferroflow._src.variables.collections import (
    all_variables as all_variables,
)
from ferroflow._src.variables.collections import (
    global_variables as global_variables,
)
from ferroflow._src.variables.collections import (
    local_variables as local_variables,
)
from ferroflow._src.variables.collections import (
    model_variables as model_variables,
)
from ferroflow._src.variables.collections import (
    moving_average_variables as moving_average_variables,
)
from ferroflow._src.variables.collections import (
    trainable_variables as trainable_variables,
)
from ferroflow._src.variables.creation import (
    variable_creator_scope as variable_creator_scope,
)
from ferroflow._src.variables.get_variable import (
    create_partitioned_variables as create_partitioned_variables,
)
from ferroflow._src.variables.get_variable import (
    get_local_variable as get_local_variable,
)
from ferroflow._src.variables.get_variable import (
    get_variable as get_variable,
)
from ferroflow._src.variables.get_variable import (
    no_regularizer as no_regularizer,
)
from ferroflow._src.variables.initialization import (
    assert_variables_initialized as assert_variables_initialized,
)
from ferroflow._src.variables.initialization import (
    global_variables_initializer as global_variables_initializer,
)
from ferroflow._src.variables.initialization import (
    initialize_all_variables as initialize_all_variables,
)
from ferroflow._src.variables.initialization import (
    initialize_local_variables as initialize_local_variables,
)
from ferroflow._src.variables.initialization import (
    initialize_variables as initialize_variables,
)
from ferroflow._src.variables.initialization import (
    is_variable_initialized as is_variable_initialized,
)
from ferroflow._src.variables.initialization import (
    local_variables_initializer as local_variables_initializer,
)
from ferroflow._src.variables.initialization import (
    report_uninitialized_variables as report_uninitialized_variables,
)
from ferroflow._src.variables.initialization import (
    variables_initializer as variables_initializer,
)
from ferroflow._src.variables.initializers import (
    constant_initializer as constant_initializer,
)
from ferroflow._src.variables.initializers import (
    glorot_normal_initializer as glorot_normal_initializer,
)
from ferroflow._src.variables.initializers import (
    glorot_uniform_initializer as glorot_uniform_initializer,
)
from ferroflow._src.variables.initializers import (
    ones_initializer as ones_initializer,
)
from ferroflow._src.variables.initializers import (
    orthogonal_initializer as orthogonal_initializer,
)
from ferroflow._src.variables.initializers import (
    random_normal_initializer as random_normal_initializer,
)
from ferroflow._src.variables.initializers import (
    random_uniform_initializer as random_uniform_initializer,
)
from ferroflow._src.variables.initializers import (
    truncated_normal_initializer as truncated_normal_initializer,
)
from ferroflow._src.variables.initializers import (
    uniform_unit_scaling_initializer as uniform_unit_scaling_initializer,
)
from ferroflow._src.variables.initializers import (
    variance_scaling_initializer as variance_scaling_initializer,
)
from ferroflow._src.variables.initializers import (
    zeros_initializer as zeros_initializer,
)
from ferroflow._src.variables.partitioners import (
    fixed_size_partitioner as fixed_size_partitioner,
)
from ferroflow._src.variables.partitioners import (
    min_max_variable_partitioner as min_max_variable_partitioner,
)
from ferroflow._src.variables.partitioners import (
    variable_axis_size_partitioner as variable_axis_size_partitioner,
)
from ferroflow._src.variables.scope import (
    variable_op_scope as variable_op_scope,
)
from ferroflow._src.variables.scope import (
    variable_scope as variable_scope,
)
from ferroflow._src.variables.synchronization import (
    VariableAggregation as VariableAggregation,
)
from ferroflow._src.variables.synchronization import (
    VariableSynchronization as VariableSynchronization,
)
from ferroflow._src.variables.template import (
    make_template as make_template,
)
from ferroflow._src.variables.variable import (
    Variable as Variable,
)
from ferroflow._src.variables.variable_scope import (
    AUTO_REUSE as AUTO_REUSE,
)
from ferroflow._src.variables.variable_scope import (
    VariableScope as VariableScope,
)
from ferroflow._src.variables.variable_scope import (
    get_variable_scope as get_variable_scope,
)

get_static_value = _constant_value
no_gradient = _no_gradient

__version__ = VERSION = _core_module.__version__
GIT_VERSION = __git_version__ = "v" + VERSION
COMPILER_VERSION = __compiler_version__ = "rustc"
# The GraphDef versions that TF 1.15 wrote and reads.
GRAPH_DEF_VERSION = 134
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0

# Protobuf, and the modules that few programs touch, are loaded when first asked for.
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
        *("contrib", "data", "distributions", "estimator", "examples", "feature_column", "keras"),
        *("layers", "linalg", "losses", "metrics", "profiler", "python", "saved_model", "signal", "spectral", "test"),
    )
)


def __getattr__(name: str) -> _Any:
    if name in _MESSAGES:
        # Programs make messages by the thousand: found once, a type is an attribute like any other.
        message = globals()[name] = getattr(_proto, name)
        return message
    if name in _MODULES:
        return _importlib.import_module(f"ferroflow.{name}")
    if name in _REMOVED_NAMES:
        raise AttributeError(f"tf.{name} is gone since TensorFlow 1.0; write {_REMOVED_NAMES[name]}")
    raise AttributeError(f"module 'ferroflow' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_MESSAGES, *_MODULES})
