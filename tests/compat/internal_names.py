"""Internal names of TensorFlow 1.15 that libraries of its time import, and what must stand behind them."""

# module below `tensorflow`: names that it must have.
NAMES = {
    "python.client.session": "BaseSession register_session_run_conversion_functions",
    "python.compat.compat": "forward_compatible forward_compatibility_horizon",
    "python.data.util.nest": "flatten pack_sequence_as map_structure map_structure_up_to flatten_up_to",
    "python.eager.backprop": "GradientTape",
    "python.eager.context": "context executing_eagerly in_eager_mode in_graph_mode graph_mode eager_mode num_gpus",
    "python.estimator.canned.metric_keys": "MetricKeys",
    "python.estimator.canned.prediction_keys": "PredictionKeys",
    "python.estimator.util": "fn_args",
    "python.feature_column.feature_column_v2": (
        "FeatureColumn DenseColumn CategoricalColumn SequenceDenseColumn NumericColumn BucketizedColumn "
        "IdentityCategoricalColumn HashedCategoricalColumn VocabularyListCategoricalColumn "
        "VocabularyFileCategoricalColumn WeightedCategoricalColumn CrossedColumn IndicatorColumn EmbeddingColumn "
        "SharedEmbeddingColumn SequenceCategoricalColumn"
    ),
    "python.feature_column.feature_column": (
        "_FeatureColumn _DenseColumn _CategoricalColumn _NumericColumn _LazyBuilder"
    ),
    "python.framework.device": "check_valid canonical_name merge_device",
    "python.framework.dtypes": "float32_ref bool_ref string_ref int64_ref",
    "python.framework.function": "Defun get_extra_vars",
    "python.framework.meta_graph": "create_meta_graph_def read_meta_graph_file import_scoped_meta_graph",
    "python.framework.op_def_registry": "get_registered_ops",
    "python.framework.ops": (
        "_TensorLike is_dense_tensor_like register_dense_tensor_like_type _get_graph_from_inputs EagerTensor "
        "register_proto_function get_gradient_function strip_name_scope prepend_name_scope uid get_name_scope "
        "internal_convert_to_tensor convert_to_tensor_v2 default_session _default_graph_stack NullContextmanager "
        "inside_function name_from_scope_name _device_string RegisterShape"
    ),
    "python.framework.sparse_tensor": "is_sparse SparseTensor",
    "python.framework.tensor_shape": "dimension_value dimension_at_index as_shape as_dimension",
    "python.framework.tensor_util": "constant_value constant_value_as_shape make_tensor_proto MakeNdarray",
    "python.framework.test_util": (
        "run_in_graph_and_eager_modes run_all_in_graph_and_eager_modes run_v1_only run_deprecated_v1 "
        "TensorFlowTestCase assert_ops_in_graph use_gpu NHWCToNCHW"
    ),
    "python.layers.utils": "constant_value smart_cond normalize_tuple normalize_data_format normalize_padding",
    "python.ops.array_ops": "shape_internal rank_internal size_internal listdiff",
    "python.ops.confusion_matrix": "remove_squeezable_dimensions confusion_matrix",
    "python.ops.control_flow_ops": "WhileContext CondContext ControlFlowContext with_dependencies switch merge",
    "python.ops.control_flow_util": "GetContainingWhileContext IsInWhileLoop IsInCond GraphOrParentsInXlaContext",
    "python.ops.data_flow_ops": "StagingArea Barrier RecordInput",
    "python.ops.distributions.normal": "Normal NormalWithSoftplusScale",
    "python.ops.distributions.special_math": "ndtr ndtri log_ndtr erfinv",
    "python.ops.distributions.util": "get_logits_and_probs gen_new_seed log_combinations softplus_inverse",
    "python.ops.init_ops": "Initializer Zeros RandomNormal VarianceScaling _compute_fans",
    "python.ops.linalg.linear_operator_util": (
        "matmul_with_broadcast cholesky_solve_with_broadcast broadcast_matrix_batch_dims shape_tensor "
        "assert_no_entries_with_modulus_zero assert_zero_imag_part"
    ),
    "python.ops.metrics_impl": (
        "_remove_squeezable_dimensions metric_variable _safe_scalar_div _confusion_matrix_at_thresholds"
    ),
    "python.ops.op_selector": "get_backward_walk_ops make_list_of_op get_unique_graph",
    "python.framework.random_seed": "DEFAULT_GRAPH_SEED get_seed set_random_seed",
    "python.ops.rnn_cell_impl": "_zero_state_tensors _Linear _concat LayerRNNCell assert_like_rnncell",
    "python.ops.summary_op_util": "collect clean_tag summary_scope",
    "python.ops.template": "Template make_template",
    "python.ops.variable_scope": "variable _pure_variable_scope _get_default_variable_store _VariableStore",
    "python.ops.variables": "PartitionedVariable Variable",
    "python.ops.weights_broadcast_ops": "broadcast_weights assert_broadcastable",
    "python.pywrap_tensorflow": "TF_GetAllOpList TF_GetBuffer NewCheckpointReader",
    "python.tf2": "enabled",
    "python.training.checkpoint_management": "latest_checkpoint update_checkpoint_state checkpoint_exists",
    "python.training.checkpoint_utils": "init_from_checkpoint load_checkpoint wait_for_new_checkpoint",
    "python.training.evaluation": "_StopAfterNEvalsHook _evaluate_once _get_or_create_eval_step",
    "python.training.queue_runner": "QueueRunner add_queue_runner start_queue_runners",
    "python.training.saver": "BaseSaverBuilder Saver",
    "python.training.slot_creator": "create_slot create_zeros_slot create_slot_with_initializer",
    "python.util.all_util": "make_all remove_undocumented reveal_undocumented",
    "python.util.compat": "as_bytes as_text as_str",
    "python.util.deprecation": "deprecated deprecated_args deprecated_arg_values deprecated_argument_lookup silence",
    "python.util.function_utils": "fn_args has_kwargs get_func_name",
    "python.util.nest": "flatten pack_sequence_as is_sequence assert_same_structure",
    "python.util.tf_contextlib": "contextmanager",
    "python.util.tf_export": "tf_export keras_export",
    "python.util.tf_inspect": "getargspec getfullargspec getmembers isfunction getmro stack getcallargs",
    "contrib.eager": "executing_eagerly in_eager_mode Variable GradientTape defun",
    "contrib.framework": "nest argsort sort deprecated deprecated_args deprecated_arg_values arg_scope",
    "contrib.framework.python.ops": "arg_scope add_arg_scope",
    "contrib.graph_editor": (
        "get_backward_walk_ops get_forward_walk_ops get_within_boundary_ops get_tensors select_ops select_ts "
        "filter_ts_from_regex make_list_of_op get_name_scope_ops"
    ),
    "contrib.image": "rotate translate transform dense_image_warp compose_transforms angles_to_projective_transforms",
    "contrib.slim": "data_decoder dataset dataset_data_provider parallel_reader prefetch_queue tfexample_decoder",
    "contrib.slim.python.slim.data.tfexample_decoder": "TFExampleDecoder Image BoundingBox Tensor ItemHandlerCallback",
    "contrib.slim.python.slim.data.dataset": "Dataset",
    "contrib.slim.python.slim.data.dataset_data_provider": "DatasetDataProvider",
    "contrib.slim.python.slim.data.parallel_reader": "parallel_read single_pass_read ParallelReader",
}
# Modules that libraries import for names that they use only where they can work.
IMPORTED = (
    *("python.debug", "python.debug.lib.debug_data", "python.eager.tape", "python.eager.function", "python.tpu.tpu"),
    *("python.ops.inplace_ops", "python.ops.while_v2", "python.ops.cond_v2", "python.ops.summary_ops_v2"),
    *("python.framework.func_graph", "python.training.tracking.base", "python.distribute.distribute_lib"),
    *("contrib.nccl", "contrib.tfprof", "contrib.cudnn_rnn.python.ops.cudnn_rnn_ops", "contrib.distribute"),
    *("contrib.slim.nets", "contrib.slim.python.slim.nets.inception_v3", "contrib.bayesflow"),
    *("contrib.learn.python.learn.estimators.run_config", "contrib.tensor_forest.python.tensor_forest"),
)
