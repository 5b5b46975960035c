"""`tf.contrib.slim`: layers, losses, metrics and variables of models, with argument scopes, and training loops."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.framework.arg_scope import (
    add_arg_scope as add_arg_scope,
    arg_scope as arg_scope,
    arg_scope_func_key as arg_scope_func_key,
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
)
from ferroflow._src.contrib.framework.model_variables import (
    add_model_variable as add_model_variable,
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
from ferroflow._src.contrib.layers import model_utils as utils  # noqa: F401  # TF's spelling
from ferroflow._src.contrib.layers.fan_initializers import (
    variance_scaling_initializer as variance_scaling_initializer,
    xavier_initializer as xavier_initializer,
    xavier_initializer_conv2d as xavier_initializer_conv2d,
)
from ferroflow._src.contrib.layers.legacy_dense import (
    legacy_fully_connected as legacy_fully_connected,
    legacy_linear as legacy_linear,
    legacy_relu as legacy_relu,
)
from ferroflow._src.contrib.layers.model_convolutions import (
    conv2d_in_plane as conv2d_in_plane,
    conv2d_transpose as conv2d_transpose,
    conv3d_transpose as conv3d_transpose,
    convolution2d_in_plane as convolution2d_in_plane,
    convolution2d_transpose as convolution2d_transpose,
    convolution3d_transpose as convolution3d_transpose,
    separable_conv2d as separable_conv2d,
    separable_convolution2d as separable_convolution2d,
)
from ferroflow._src.contrib.layers.model_layers import (
    avg_pool2d as avg_pool2d,
    avg_pool3d as avg_pool3d,
    batch_norm as batch_norm,
    conv1d as conv1d,
    conv2d as conv2d,
    conv3d as conv3d,
    convolution as convolution,
    convolution1d as convolution1d,
    convolution2d as convolution2d,
    convolution3d as convolution3d,
    dropout as dropout,
    elu as elu,
    flatten as flatten,
    fully_connected as fully_connected,
    layer_norm as layer_norm,
    linear as linear,
    max_pool2d as max_pool2d,
    max_pool3d as max_pool3d,
    one_hot_encoding as one_hot_encoding,
    relu as relu,
    relu6 as relu6,
    repeat as repeat,
    stack as stack,
)
from ferroflow._src.contrib.layers.model_normalizations import (
    group_norm as group_norm,
    instance_norm as instance_norm,
    unit_norm as unit_norm,
)
from ferroflow._src.contrib.layers.model_shapes import (
    dense_to_sparse as dense_to_sparse,
    images_to_sequence as images_to_sequence,
    pool as pool,
    scale_gradient as scale_gradient,
    sequence_to_images as sequence_to_images,
)
from ferroflow._src.contrib.layers.model_units import (
    bias_add as bias_add,
    maxout as maxout,
    softmax as softmax,
    spatial_softmax as spatial_softmax,
)
from ferroflow._src.contrib.layers.regularizers import (
    apply_regularization as apply_regularization,
    l1_l2_regularizer as l1_l2_regularizer,
    l1_regularizer as l1_regularizer,
    l2_regularizer as l2_regularizer,
    sum_regularizer as sum_regularizer,
)
from ferroflow._src.training.global_step import (
    assert_global_step as assert_global_step,
    create_global_step as create_global_step,
    get_global_step as get_global_step,
    get_or_create_global_step as get_or_create_global_step,
)
from ferroflow.contrib import layers as layers, losses as losses, metrics as metrics
from ferroflow.contrib.layers import (
    GDN as GDN,
    OPTIMIZER_CLS_NAMES as OPTIMIZER_CLS_NAMES,
    OPTIMIZER_SUMMARIES as OPTIMIZER_SUMMARIES,
    SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY as SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY,
    RevBlock as RevBlock,
    adaptive_clipping_fn as adaptive_clipping_fn,
    bow_encoder as bow_encoder,
    bucketized_column as bucketized_column,
    check_feature_columns as check_feature_columns,
    create_feature_spec_for_parsing as create_feature_spec_for_parsing,
    crossed_column as crossed_column,
    embed_sequence as embed_sequence,
    embedding_column as embedding_column,
    embedding_lookup_sparse_with_distributed_aggregation as embedding_lookup_sparse_with_distributed_aggregation,
    embedding_lookup_unique as embedding_lookup_unique,
    gdn as gdn,
    infer_real_valued_columns as infer_real_valued_columns,
    input_from_feature_columns as input_from_feature_columns,
    joint_weighted_sum_from_feature_columns as joint_weighted_sum_from_feature_columns,
    make_place_holder_tensors_for_base_features as make_place_holder_tensors_for_base_features,
    one_hot_column as one_hot_column,
    optimize_loss as optimize_loss,
    parse_feature_columns_from_examples as parse_feature_columns_from_examples,
    parse_feature_columns_from_sequence_examples as parse_feature_columns_from_sequence_examples,
    real_valued_column as real_valued_column,
    recompute_grad as recompute_grad,
    rev_block as rev_block,
    safe_embedding_lookup_sparse as safe_embedding_lookup_sparse,
    scattered_embedding_column as scattered_embedding_column,
    scattered_embedding_lookup as scattered_embedding_lookup,
    scattered_embedding_lookup_sparse as scattered_embedding_lookup_sparse,
    sequence_input_from_feature_columns as sequence_input_from_feature_columns,
    shared_embedding_columns as shared_embedding_columns,
    sparse_column_with_hash_bucket as sparse_column_with_hash_bucket,
    sparse_column_with_integerized_feature as sparse_column_with_integerized_feature,
    sparse_column_with_keys as sparse_column_with_keys,
    sparse_column_with_vocabulary_file as sparse_column_with_vocabulary_file,
    sparse_feature_cross as sparse_feature_cross,
    summarize_activation as summarize_activation,
    summarize_activations as summarize_activations,
    summarize_biases as summarize_biases,
    summarize_collection as summarize_collection,
    summarize_tensor as summarize_tensor,
    summarize_tensors as summarize_tensors,
    summarize_variables as summarize_variables,
    summarize_weights as summarize_weights,
    transform_features as transform_features,
    weighted_sparse_column as weighted_sparse_column,
    weighted_sum_from_feature_columns as weighted_sum_from_feature_columns,
)
from ferroflow.contrib.layers.python.layers import (  # type: ignore[import-not-found]  # made when it is imported
    initializers as initializers,
    regularizers as regularizers,
)
from ferroflow.contrib.slim import (  # type: ignore[attr-defined]  # nets is made when it is imported
    evaluation as evaluation,
    learning as learning,
    model_analyzer as model_analyzer,
    nets as nets,
)
from ferroflow.contrib.slim.python.slim import (  # type: ignore[import-not-found]  # made when it is imported
    queues as queues,
    summaries as summaries,
)
from ferroflow.contrib.slim.python.slim.data import (  # type: ignore[import-not-found]  # made when it is imported
    data_decoder as data_decoder,
    data_provider as data_provider,
    dataset as dataset,
    dataset_data_provider as dataset_data_provider,
    parallel_reader as parallel_reader,
    prefetch_queue as prefetch_queue,
    tfexample_decoder as tfexample_decoder,
)
from ferroflow.python.framework import (  # type: ignore[import-not-found]  # made when it is imported
    dtypes as dtypes,
    ops as ops,
    tensor_shape as tensor_shape,
)
from ferroflow.python.ops import (  # type: ignore[import-not-found]  # made when it is imported
    array_ops as array_ops,
    clip_ops as clip_ops,
    control_flow_ops as control_flow_ops,
    embedding_ops as embedding_ops,
    init_ops as init_ops,
    math_ops as math_ops,
    nn as nn,
    nn_ops as nn_ops,
    random_ops as random_ops,
    sparse_ops as sparse_ops,
    string_ops as string_ops,
    variable_scope as variable_scope,
    variables as variables,
)

_tell_absent(globals())
