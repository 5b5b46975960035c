"""`tf.contrib.framework`: nests, the global step, argument scopes, known conditionals, variables of models."""

from ferroflow._src.base import nest as nest
from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.checkpoint.init_from_checkpoint import init_from_checkpoint as init_from_checkpoint
from ferroflow._src.checkpoint.reader import (
    list_variables as list_variables,
    load_checkpoint as load_checkpoint,
    load_variable as load_variable,
)
from ferroflow._src.checkpoint.remapping import (
    load_and_remap_matrix as load_and_remap_matrix,
    load_and_remap_matrix_initializer as load_and_remap_matrix_initializer,
)
from ferroflow._src.contrib.framework.arg_scope import (
    add_arg_scope as add_arg_scope,
    arg_scope as arg_scope,
    arg_scoped_arguments as arg_scoped_arguments,
    current_arg_scope as current_arg_scope,
    has_arg_scope as has_arg_scope,
)
from ferroflow._src.contrib.framework.assigning import (
    assign_from_checkpoint as assign_from_checkpoint,
    assign_from_checkpoint_fn as assign_from_checkpoint_fn,
    assign_from_values as assign_from_values,
    assign_from_values_fn as assign_from_values_fn,
    get_variable_full_name as get_variable_full_name,
    zero_initializer as zero_initializer,
)
from ferroflow._src.contrib.framework.convolution_initializers import (
    ConvolutionDeltaOrthogonal as convolutional_delta_orthogonal,  # noqa: F401  # TF's spelling
    ConvolutionOrthogonal1D as convolutional_orthogonal_1d,  # noqa: F401  # TF's spelling
    ConvolutionOrthogonal2D as convolutional_orthogonal_2d,  # noqa: F401  # TF's spelling
    ConvolutionOrthogonal3D as convolutional_orthogonal_3d,  # noqa: F401  # TF's spelling
)
from ferroflow._src.contrib.framework.critical_section import CriticalSection as CriticalSection
from ferroflow._src.contrib.framework.graph_functions import (
    VariableDeviceChooser as VariableDeviceChooser,
    fuse_op as fuse_op,
    get_graph_from_inputs as get_graph_from_inputs,
    get_name_scope as get_name_scope,
    get_placeholders as get_placeholders,
)
from ferroflow._src.contrib.framework.model_variables import (
    add_model_variable as add_model_variable,
    assert_or_get_global_step as assert_or_get_global_step,
    filter_variables as filter_variables,
    get_local_variables as get_local_variables,
    get_model_variables as get_model_variables,
    get_trainable_variables as get_trainable_variables,
    get_unique_variable as get_unique_variable,
    get_variables as get_variables,
    get_variables_by_name as get_variables_by_name,
    get_variables_by_suffix as get_variables_by_suffix,
    get_variables_to_restore as get_variables_to_restore,
    global_variable as global_variable,
    local_variable as local_variable,
    model_variable as model_variable,
    variable as variable,
)
from ferroflow._src.contrib.framework.printing import print_op as print_op
from ferroflow._src.contrib.framework.remapped_initializers import (
    load_embedding_initializer as load_embedding_initializer,
    load_linear_multiclass_bias_initializer as load_linear_multiclass_bias_initializer,
    load_variable_slot_initializer as load_variable_slot_initializer,
)
from ferroflow._src.contrib.framework.shape_checks import (
    assert_scalar_int as assert_scalar_int,
    reduce_sum_n as reduce_sum_n,
    remove_squeezable_dimensions as remove_squeezable_dimensions,
    with_same_shape as with_same_shape,
    with_shape as with_shape,
)
from ferroflow._src.control_flow.static_choice import (
    smart_case as smart_case,
    smart_cond as smart_cond,
    smart_constant_value as smart_constant_value,
)
from ferroflow._src.framework.composite import (
    convert_to_tensor_or_sparse_tensor as convert_to_tensor_or_sparse_tensor,
    is_tensor as is_tensor,
)
from ferroflow._src.framework.scope_names import (
    prepend_name_scope as prepend_name_scope,
    strip_name_scope as strip_name_scope,
)
from ferroflow._src.framework.tensor_spec import BoundedTensorSpec as BoundedTensorSpec, TensorSpec as TensorSpec
from ferroflow._src.internals.deprecation import (
    deprecated as deprecated,
    deprecated_arg_values as deprecated_arg_values,
    deprecated_args as deprecated_args,
)
from ferroflow._src.ops.array.sorting import argsort as argsort, sort as sort
from ferroflow._src.ops.flow.checking import (
    assert_same_float_dtype as assert_same_float_dtype,
    assert_scalar as assert_scalar,
)
from ferroflow._src.ops.queue.record_input import RecordInput as RecordInput
from ferroflow._src.ops.script.py_func import py_func as py_func
from ferroflow._src.training.global_step import (
    assert_global_step as assert_global_step,
    create_global_step as create_global_step,
    get_global_step as get_global_step,
    get_or_create_global_step as get_or_create_global_step,
)

_tell_absent(globals())
