"""Table beside `_places.py`: where single names are whose module has public names otherwise."""

from typing import Final

_CONSTRAINED: Final = "contrib.constrained_optimization.python"
_LEARN_ESTIMATORS: Final = "contrib.learn.python.learn.estimators"
# (module, name) -> (module of `_src`, name there).
INTERNAL_NAMES: Final[dict[tuple[str, str], tuple[str, str]]] = {
    **{
        (f"{_LEARN_ESTIMATORS}.{module}", name): (f"contrib.learn.{place}", inner)
        for module, name, place, inner in (
            ("dnn", "_dnn_model_fn", "model_parts", "network_model_fn"),
            ("dnn_linear_combined", "_dnn_linear_combined_model_fn", "model_parts", "combined_model_fn"),
            ("dnn_linear_combined", "_get_embedding_variable", "model_parts", "embedding_variables"),
            ("dynamic_rnn_estimator", "_get_dynamic_rnn_model_fn", "dynamic_rnn", "dynamic_rnn_model_fn"),
            ("dynamic_rnn_estimator", "_get_output_alternatives", "dynamic_rnn", "output_alternatives_of"),
            ("dynamic_rnn_estimator", "_get_state_name", "recurrent_parts", "state_part_name"),
            ("head", "_multi_class_head", "heads", "multi_class_head"),
            ("state_saving_rnn_estimator", "_get_rnn_model_fn", "state_saving_rnn", "state_saving_rnn_model_fn"),
            ("state_saving_rnn_estimator", "_get_state_name", "recurrent_parts", "state_part_name"),
            (
                "state_saving_rnn_estimator",
                "_prepare_features_for_sqss",
                "state_saving_rnn",
                "prepare_features_for_sqss",
            ),
            ("state_saving_rnn_estimator", "_prepare_inputs_for_rnn", "state_saving_rnn", "prepare_inputs_for_rnn"),
        )
    },
    **{
        (path, name): (f"contrib.all_reduce.{place}", inner)
        for path in ("contrib.all_reduce.python.all_reduce", "python.distribute.all_reduce")
        for name, place, inner in (
            ("_apply_unary_to_chunks", "ring", "unary_of_chunks"),
            ("_build_nccl_hybrid", "hybrids", "nccl_hybrid"),
            ("_build_recursive_hd_gather", "halving", "halving_gather"),
            ("_build_recursive_hd_scatter", "halving", "doubling_scatter"),
            ("_build_ring_gather", "ring", "ring_gather"),
            ("_build_ring_scatter", "ring", "ring_scatter"),
            ("_build_shuffle_gather", "shuffle", "shuffle_gather"),
            ("_build_shuffle_hybrid", "hybrids", "shuffle_hybrid"),
            ("_build_shuffle_scatter", "shuffle", "shuffle_scatter"),
            ("_flatten_tensors", "vectors", "flattened"),
            ("_padded_split", "vectors", "padded_split"),
            ("_ragged_split", "vectors", "ragged_split"),
            ("_reduce_non_singleton", "hybrids", "unless_single"),
            ("_reshape_tensors", "vectors", "reshaped"),
            ("_ring_permutations", "ring", "ring_permutations"),
            ("_split_by_task", "hybrids", "split_by_task"),
            ("_strip_padding", "vectors", "strip_padding"),
        )
    },
    **{
        ("contrib.meta_graph_transform.meta_graph_transform", name): (f"contrib.meta_graph_transform.{place}", inner)
        for name, place, inner in (
            ("_add_new_inits_to_collection", "kept_parts", "add_table_initializers"),
            ("_add_pruned_collection", "kept_parts", "copy_collection"),
            ("_add_pruned_saver", "kept_parts", "copy_saver"),
            ("_add_pruned_signature", "kept_parts", "copy_signature"),
            ("_clean_save_and_restore", "kept_parts", "shorten_save"),
            ("_connect_to_shared_init_op", "transforming", "add_shared_initializer"),
            ("_do_transforms", "transforming", "apply_transforms"),
            ("_find_all_mandatory_retain_ops", "needed_operations", "needed_operations"),
            ("_freeze_graph_with_def_protos", "transforming", "frozen_graph"),
            ("_freeze_transform", "transforming", "freeze"),
            ("_get_shared_init_op", "needed_operations", "shared_initializer"),
            ("_gtt_transforms", "transforming", "transform_graph"),
            ("_sparsify_gather_transform", "transforming", "sparsify_gather"),
        )
    },
    **{
        (f"python.estimator.export.{module}", name): ("estimator.mode_exports", name)
        for module in ("export", "export_lib")
        for name in (
            "SupervisedInputReceiver",
            "build_raw_supervised_input_receiver_fn",
            "build_supervised_input_receiver_fn_from_input_fn",
        )
    },
    ("contrib.factorization.python.ops.gmm_ops", "_covariance"): (
        "contrib.factorization.gaussian_mixture",
        "covariance_of",
    ),
    ("python.estimator.model_fn", "AVERAGE_LOSS_METRIC_KEY"): ("estimator.evaluation_metrics", "AVERAGE_LOSS"),
    ("python.estimator.model_fn", "LOSS_METRIC_KEY"): ("estimator.evaluation_metrics", "LOSS"),
    ("python.framework.tensor_util", "TensorShapeProtoToList"): ("internals.static_shapes", "sizes_of_message"),
    ("python.ops.resource_variable_ops", "_from_proto_fn"): ("variables.variable", "_from_proto"),
    ("python.ops.resource_variable_ops", "_to_proto_fn"): ("variables.variable", "_to_proto"),
    ("python.estimator.estimator", "_write_dict_to_summary"): ("estimator.evaluation_metrics", "write_values"),
    ("contrib.learn.python.learn.learn_io.graph_io", "_get_file_names"): ("contrib.learn.file_inputs", "file_names"),
    (f"{_LEARN_ESTIMATORS}.estimator", "_get_replica_device_setter"): (
        "estimator.estimator",
        "replica_device_setter_of",
    ),
    ("contrib.estimator.python.estimator.replicate_model_fn", "_compute_sum_on_device"): (
        "contrib.estimator.tower_optimizer",
        "sum_on_device",
    ),
    ("contrib.estimator.python.estimator.replicate_model_fn", "_reduce_metric_variables"): (
        "contrib.estimator.replicating",
        "reduce_metric_variables",
    ),
    ("contrib.estimator.python.estimator.replicate_model_fn", "_split_batch"): (
        "contrib.estimator.replicating",
        "split_batch",
    ),
    ("contrib.estimator.python.estimator.replicate_model_fn", "_VariableDistributionMode"): (
        "contrib.estimator.replicating",
        "VariableDistributionMode",
    ),
    ("contrib.estimator.python.estimator.replicate_model_fn", "_replicate_model_fn_with_mode"): (
        "contrib.estimator.replicating",
        "replicate_model_fn_with_mode",
    ),
    ("contrib.bayesflow.python.ops.monte_carlo_impl", "_get_samples"): ("contrib.bayesflow.monte_carlo", "samples_of"),
    ("contrib.tensor_forest.client.eval_metrics", "_accuracy"): ("contrib.tensor_forest.eval_metrics", "accuracy"),
    ("contrib.tensor_forest.client.eval_metrics", "_top_k_generator"): (
        "contrib.tensor_forest.eval_metrics",
        "top_k_generator",
    ),
    ("contrib.factorization.python.ops.kmeans", "_parse_features_if_necessary"): (
        "contrib.factorization.kmeans_estimator",
        "points_of",
    ),
    ("contrib.factorization.python.ops.wals", "_StopAtSweepHook"): (
        "contrib.factorization.wals_hooks",
        "StopAtSweepHook",
    ),
    ("contrib.factorization.python.ops.wals", "_SweepHook"): ("contrib.factorization.wals_hooks", "SweepHook"),
    (f"{_CONSTRAINED}.external_regret_optimizer", "_project_multipliers_wrt_euclidean_norm"): (
        "contrib.constrained_optimization.projections",
        "project_multipliers_wrt_euclidean_norm",
    ),
    (f"{_CONSTRAINED}.swap_regret_optimizer", "_maximal_eigenvector_power_method"): (
        "contrib.constrained_optimization.projections",
        "maximal_eigenvector_power_method",
    ),
    (
        f"{_CONSTRAINED}.swap_regret_optimizer",
        "_project_log_stochastic_matrix_wrt_kl_divergence",
    ): (
        "contrib.constrained_optimization.projections",
        "project_log_stochastic_matrix_wrt_kl_divergence",
    ),
    (
        f"{_CONSTRAINED}.swap_regret_optimizer",
        "_project_stochastic_matrix_wrt_euclidean_norm",
    ): (
        "contrib.constrained_optimization.projections",
        "project_stochastic_matrix_wrt_euclidean_norm",
    ),
    ("contrib.distributions.python.ops.bijectors.masked_autoregressive", "_gen_mask"): (
        "contrib.bijectors.masked_autoregressive",
        "gen_mask",
    ),
    ("contrib.distributions.python.ops.distribution_util", "get_broadcast_shape"): (
        "contrib.distributions.static_shapes",
        "broadcast_shape_of",
    ),
    ("contrib.distributions.python.ops.distribution_util", "maybe_check_scalar_distribution"): (
        "contrib.distributions.of_bijector",
        "checked_scalar_distribution",
    ),
    ("python.ops.gen_functional_ops", "symbolic_gradient"): ("internals.functional_ops", "symbolic_gradient"),
    ("contrib.distributions.python.ops.gumbel", "_Gumbel"): ("contrib.distributions.gumbel", "Gumbel"),
    ("contrib.distributions.python.ops.shape", "_DistributionShape"): (
        "contrib.distributions.distribution_shape",
        "DistributionShape",
    ),
    ("contrib.distributions.python.ops.vector_student_t", "_VectorStudentT"): (
        "contrib.distributions.of_bijector",
        "VectorStudentT",
    ),
    ("contrib.distributions.python.ops.wishart", "_WishartLinearOperator"): (
        "contrib.distributions.wishart",
        "WishartLinearOperator",
    ),
    ("contrib.layers.python.layers.feature_column", "_create_sequence_feature_spec_for_parsing"): (
        "contrib.layers.column_models",
        "_create_sequence_feature_spec_for_parsing",
    ),
    ("contrib.layers.python.layers.layers", "_inner_flatten"): ("contrib.layers.inner_flattening", "inner_flatten"),
    ("contrib.training.python.training.sequence_queueing_state_saver", "_SequenceInputWrapper"): (
        "contrib.training.state_saving",
        "SequenceInput",
    ),
    ("contrib.training.python.training.sequence_queueing_state_saver", "_padding"): (
        "contrib.training.state_saving",
        "padded_sequences",
    ),
    ("contrib.rnn.python.tools.checkpoint_convert", "_RNN_SHARDED_NAME_REPLACEMENTS"): (
        "contrib.rnn.checkpoint_names",
        "SHARDED_NAME_REPLACEMENTS",
    ),
    ("contrib.eager.python.tfe", "run_all_tests_in_graph_and_eager_modes"): (
        "testing.test_util",
        "run_all_in_graph_and_eager_modes",
    ),
    ("contrib.eager.python.tfe", "run_test_in_graph_and_eager_modes"): (
        "testing.test_util",
        "run_in_graph_and_eager_modes",
    ),
    ("contrib.eager", "run_all_tests_in_graph_and_eager_modes"): (
        "testing.test_util",
        "run_all_in_graph_and_eager_modes",
    ),
    ("contrib.eager", "run_test_in_graph_and_eager_modes"): ("testing.test_util", "run_in_graph_and_eager_modes"),
    ("contrib.seq2seq.python.ops.beam_search_decoder", "_mask_probs"): (
        "contrib.seq2seq.beam_search_step",
        "_only_end_goes_on",
    ),
    ("contrib.stateless", "stateless_multinomial"): ("ops.random.stateless", "stateless_multinomial"),
    ("contrib.stateless", "stateless_random_normal"): ("ops.random.stateless", "stateless_random_normal"),
    ("contrib.stateless", "stateless_random_uniform"): ("ops.random.stateless", "stateless_random_uniform"),
    ("contrib.stateless", "stateless_truncated_normal"): ("ops.random.stateless", "stateless_truncated_normal"),
    ("contrib.rnn.python.ops.core_rnn_cell", "_Linear"): ("rnn.projection", "Projection"),
    ("contrib.rnn.python.ops.core_rnn_cell", "_linear"): ("rnn.projection", "linear"),
    ("contrib.rnn.python.ops.core_rnn_cell_impl", "_Linear"): ("rnn.projection", "Projection"),
    ("contrib.rnn.python.ops.core_rnn_cell_impl", "_linear"): ("rnn.projection", "linear"),
    ("contrib.seq2seq.python.ops.decoder", "_transpose_batch_time"): ("rnn.dynamic_running", "transpose_batch_time"),
    ("python.feature_column.feature_column", "_LazyBuilder"): ("feature_column.column", "TransformedFeatures"),
    ("python.feature_column.feature_column", "_FeatureColumn"): ("feature_column.column", "FeatureColumn"),
    ("python.feature_column.feature_column", "_DenseColumn"): ("feature_column.column", "DenseColumn"),
    ("python.feature_column.feature_column", "_CategoricalColumn"): ("feature_column.column", "CategoricalColumn"),
    ("python.feature_column.feature_column", "_NumericColumn"): ("feature_column.numeric", "NumericColumn"),
    ("python.feature_column.feature_column", "_BucketizedColumn"): ("feature_column.numeric", "BucketizedColumn"),
    ("python.feature_column.feature_column", "_IndicatorColumn"): ("feature_column.embedded", "IndicatorColumn"),
    ("python.feature_column.feature_column", "_EmbeddingColumn"): ("feature_column.embedded", "EmbeddingColumn"),
    ("python.feature_column.feature_column", "_SharedEmbeddingColumn"): (
        "feature_column.embedded",
        "SharedEmbeddingColumn",
    ),
    ("python.feature_column.feature_column", "_CrossedColumn"): ("feature_column.crossed", "CrossedColumn"),
    ("python.feature_column.feature_column", "_HashedCategoricalColumn"): (
        "feature_column.categorical",
        "HashedCategoricalColumn",
    ),
    ("python.feature_column.feature_column", "_VocabularyFileCategoricalColumn"): (
        "feature_column.categorical",
        "VocabularyFileCategoricalColumn",
    ),
    ("python.feature_column.feature_column", "_VocabularyListCategoricalColumn"): (
        "feature_column.categorical",
        "VocabularyListCategoricalColumn",
    ),
    ("python.feature_column.feature_column", "_IdentityCategoricalColumn"): (
        "feature_column.categorical",
        "IdentityCategoricalColumn",
    ),
    ("python.feature_column.feature_column", "_WeightedCategoricalColumn"): (
        "feature_column.categorical",
        "WeightedCategoricalColumn",
    ),
    ("python.feature_column.feature_column_lib", "DenseFeatures"): ("keras.feature_layers", "DenseFeatures"),
    ("python.feature_column.feature_column_v2", "DenseColumn"): ("feature_column.column", "AnyDenseColumn"),
    ("python.feature_column.feature_column_v2", "_StateManagerImpl"): ("feature_column.state", "LayerState"),
    ("python.keras.backend", "depthwise_conv2d"): ("keras.backend_nn", "depthwise_conv2d"),
    ("python.keras.backend", "get_graph"): ("framework.default_graph", "get_default_graph"),
    ("python.keras.backend", "track_variable"): ("layers.sessions", "track_variable"),
    ("python.keras.saving.hdf5_format", "load_optimizer_weights_from_hdf5_group"): (
        "keras.training_files",
        "read_optimizer_weights",
    ),
    ("python.ops.init_ops", "_compute_fans"): ("variables.initializers", "_fans"),
    ("python.framework.ops", "_device_string"): ("framework.handles", "_device_string"),
    ("python.framework.ops", "default_session"): ("framework.default_stacks", "default_session"),
    ("python.framework.function", "_DefinedFunction"): ("internals.defun", "DefinedFunction"),
    ("python.ops.ragged.ragged_array_ops", "ragged_one_hot"): ("ops.ragged.shaping", "one_hot"),
    ("python.ops.ragged.ragged_getitem", "ragged_tensor_getitem"): ("ops.ragged.indexing", "ragged_getitem"),
    ("python.ops.ragged.ragged_math_ops", "range"): ("ops.ragged.making", "ragged_range"),
    ("python.ops.ragged.ragged_string_ops", "string_bytes_split"): ("ops.ragged.text", "bytes_split"),
    ("python.ops.ragged.ragged_string_ops", "strings_split_v1"): ("ops.ragged.text", "split"),
    ("python.ops.ragged.ragged_util", "repeat"): ("ops.array.shaping", "repeat"),
    ("python.ops.array_ops", "rank_internal"): ("ops.array.shaping", "rank"),
    ("python.ops.array_ops", "size_internal"): ("ops.array.shaping", "size_internal"),
    ("python.ops.array_ops", "shape_internal"): ("ops.array.shaping", "shape_internal"),
    ("python.ops.array_ops", "listdiff"): ("ops.array.indexing", "listdiff"),
    ("python.ops.metrics_impl", "_confusion_matrix_at_thresholds"): ("metrics.thresholds", "counts_at_thresholds"),
    ("python.ops.losses.losses_impl", "_remove_squeezable_dimensions"): (
        "ops.math.confusion_matrix",
        "remove_squeezable_dimensions",
    ),
    ("python.ops.variable_scope", "_VariableStore"): ("variables.variable_store", "VariableStore"),
    ("python.ops.variable_scope", "_get_default_variable_store"): (
        "variables.variable_store",
        "default_variable_store",
    ),
    ("python.ops.variable_scope", "_ReuseMode"): ("variables.variable_scope", "_ReuseMode"),
    ("python.ops.variable_scope", "_PartitionInfo"): ("variables.partition_info", "PartitionInfo"),
    ("python.ops.rnn_cell_impl", "LayerRNNCell"): ("rnn.cell", "LayerRNNCell"),
    ("python.ops.variables", "_all_saveable_objects"): ("checkpoint.saver", "_all_saveable_objects"),
    ("python.framework.tensor_shape", "dimension_value"): ("base.tensor_shape", "dimension_value"),
    ("python.ops.variable_scope", "default_variable_creator"): ("variables.variable", "default_variable_creator"),
    ("python.ops.variable_scope", "variable"): ("variables.variable", "Variable"),
    ("python.ops.variable_scope", "_pure_variable_scope"): ("variables.scope", "pure_variable_scope"),
    ("python.layers.utils", "constant_value"): ("control_flow.smart_conditional", "smart_constant_value"),
    ("python.framework.smart_cond", "smart_constant_value"): ("control_flow.smart_conditional", "smart_constant_value"),
    ("python.ops.distributions.beta", "BetaWithSoftplusConcentration"): (
        "distributions.beta",
        "BetaWithSoftplusConcentration",
    ),
    ("python.ops.distributions.exponential", "ExponentialWithSoftplusRate"): (
        "distributions.exponential",
        "ExponentialWithSoftplusRate",
    ),
    ("python.ops.distributions.gamma", "GammaWithSoftplusConcentrationRate"): (
        "distributions.gamma",
        "GammaWithSoftplusConcentrationRate",
    ),
    ("python.ops.distributions.laplace", "LaplaceWithSoftplusScale"): (
        "distributions.laplace",
        "LaplaceWithSoftplusScale",
    ),
    ("python.ops.distributions.normal", "NormalWithSoftplusScale"): ("distributions.normal", "NormalWithSoftplusScale"),
    ("python.ops.distributions.student_t", "StudentTWithAbsDfSoftplusScale"): (
        "distributions.student_t",
        "StudentTWithAbsDfSoftplusScale",
    ),
    ("python.ops.distributions.util", "process_quadrature_grid_and_probs"): (
        "contrib.distributions.poisson_lognormal",
        "process_quadrature_grid_and_probs",
    ),
    ("python.ops.distributions.util", "embed_check_nonnegative_integer_form"): (
        "distributions.validation",
        "nonnegative_integer_form",
    ),
    ("python.ops.distributions.util", "embed_check_categorical_event_shape"): (
        "distributions.validation",
        "categorical_event_shape",
    ),
    ("python.ops.metrics_impl", "_remove_squeezable_dimensions"): ("metrics.accumulation", "match_ranks"),
    ("python.ops.metrics_impl", "metric_variable"): ("metrics.accumulation", "metric_variable"),
    ("python.ops.metrics_impl", "_safe_div"): ("metrics.accumulation", "quotient"),
    ("python.ops.metrics_impl", "_safe_scalar_div"): ("metrics.accumulation", "quotient"),
    ("python.ops.rnn_cell_impl", "_zero_state_tensors"): ("rnn.sizes", "zero_tensors"),
    ("python.client.session", "_FetchHandler"): ("internals.fetch_handler", "FetchHandler"),
    ("python.client.session", "register_session_run_conversion_functions"): (
        "session.fetches",
        "register_session_run_conversion_functions",
    ),
    ("python.ops.control_flow_ops", "merge"): ("control_flow.primitives", "merge"),
    ("python.ops.control_flow_ops", "switch"): ("control_flow.primitives", "switch"),
    ("python.ops.control_flow_ops", "with_dependencies"): ("ops.flow.grouping", "with_dependencies"),
    ("contrib.seq2seq.python.ops.attention_wrapper", "_BaseAttentionMechanism"): (
        "contrib.seq2seq.attention_mechanism",
        "MemoryAttention",
    ),
    ("contrib.seq2seq.python.ops.attention_wrapper", "_bahdanau_score"): (
        "contrib.seq2seq.attention",
        "bahdanau_score",
    ),
    ("contrib.seq2seq.python.ops.attention_wrapper", "_luong_score"): ("contrib.seq2seq.attention", "luong_score"),
    ("contrib.seq2seq.python.ops.attention_wrapper", "_maybe_mask_score"): (
        "contrib.seq2seq.attention_mechanism",
        "masked_score",
    ),
    ("contrib.seq2seq.python.ops.beam_search_decoder", "_tile_batch"): ("contrib.seq2seq.beams", "tiled"),
    ("contrib.seq2seq.python.ops.attention_wrapper", "_prepare_memory"): (
        "contrib.seq2seq.attention_mechanism",
        "prepared_memory",
    ),
    ("python.framework.constant_op", "_tensor_shape_tensor_conversion_function"): (
        "framework.conversion",
        "_shape",
    ),
    ("python.ops.cond_v2", "cond_v2"): ("control_flow.conditional", "cond"),
    ("python.ops.random_ops", "parameterized_truncated_normal"): (
        "ops.random.sampling",
        "parameterized_truncated_normal",
    ),
    ("python.training.checkpointable.base", "Checkpointable"): ("internals.tracking", "AutoTrackable"),
    ("python.training.checkpointable.base", "CheckpointableBase"): ("internals.tracking", "Trackable"),
    ("contrib.checkpoint", "Checkpointable"): ("internals.tracking", "AutoTrackable"),
    ("contrib.checkpoint", "CheckpointableBase"): ("internals.tracking", "Trackable"),
    ("contrib.checkpoint", "PythonStateWrapper"): ("checkpoint.python_state", "PythonState"),
    ("python.training.tracking.data_structures", "_DictWrapper"): ("variables.tracked_dicts", "DictWrapper"),
    ("python.keras.utils.tf_utils", "constant_value"): ("control_flow.smart_conditional", "smart_constant_value"),
    ("python.keras.utils.tf_utils", "smart_cond"): ("control_flow.smart_conditional", "smart_cond"),
    ("python.ops.linalg.linear_operator_addition", "_AddAndReturnDiag"): ("linear_operator.addition", "return_diag"),
    ("python.ops.linalg.linear_operator_addition", "_AddAndReturnMatrix"): (
        "linear_operator.addition",
        "return_matrix",
    ),
    ("python.ops.linalg.linear_operator_addition", "_AddAndReturnScaledIdentity"): (
        "linear_operator.addition",
        "return_scaled_identity",
    ),
    ("python.ops.linalg.linear_operator_addition", "_AddAndReturnTriL"): (
        "linear_operator.addition",
        "return_triangle",
    ),
    ("python.ops.nn_impl", "_compute_sampled_logits"): ("ops.nn.sampled_losses", "sampled_logits"),
    ("python.ops.metrics_impl", "_aggregate_variable"): ("metrics.accumulation", "aggregated"),
    ("python.ops.metrics_impl", "_streaming_sparse_average_precision_at_top_k"): (
        "metrics.ranking",
        "average_precision_at_top_k",
    ),
    ("contrib.seq2seq.python.ops.helper", "_unstack_ta"): ("contrib.seq2seq.training_helper", "unstacked"),
    **{
        ("contrib.seq2seq.python.ops.helper", name): ("contrib.seq2seq.sampling", name.lstrip("_"))
        for name in ("_call_sampler", "bernoulli_sample", "categorical_sample")
    },
    ("contrib.seq2seq.python.ops.decoder", "_create_zero_outputs"): ("contrib.seq2seq.decoder", "zeros_of_sizes"),
    ("contrib.seq2seq.python.ops.attention_wrapper", "_compute_attention"): (
        "contrib.seq2seq.attention_wrapper",
        "computed_attention",
    ),
    ("contrib.seq2seq.python.ops.beam_search_decoder", "_beam_search_step"): (
        "contrib.seq2seq.beam_search_step",
        "beam_search_step",
    ),
    ("python.ops.metrics_impl", "_streaming_confusion_matrix"): (
        "metrics.class_matrices",
        "streaming_confusion_matrix",
    ),
    ("python.ops.image_ops_impl", "_ImageDimensions"): ("ops.image.checking", "dimensions"),
    ("python.ops.image_ops_impl", "_Check3DImage"): ("ops.image.checking", "check_3d"),
    ("python.ops.image_ops_impl", "_CheckAtLeast3DImage"): ("ops.image.checking", "check_at_least_3d"),
    ("python.ops.image_ops_impl", "_AssertAtLeast3DImage"): ("ops.image.checking", "checked_at_least_3d"),
    ("python.ops.image_ops_impl", "_is_tensor"): ("ops.image.checking", "is_symbolic"),
    ("python.ops.image_ops_impl", "fix_image_flip_shape"): ("ops.image.checking", "with_shape_of_image"),
    ("python.layers.convolutional", "_Conv"): ("layers.convolution", "Conv"),
    ("python.ops.rnn", "_is_keras_rnn_cell"): ("internals.recurrent_steps", "is_keras_rnn_cell"),
    ("python.ops.rnn", "_maybe_tensor_shape_from_tensor"): ("internals.recurrent_steps", "shape_from_tensor"),
    ("python.ops.rnn", "_should_cache"): ("internals.recurrent_steps", "should_cache"),
    ("python.util.nest", "_yield_value"): ("base.nest", "yield_value"),
    ("python.ops.rnn", "_infer_state_dtype"): ("rnn.steps", "state_dtype"),
    ("python.ops.rnn", "_reverse_seq"): ("rnn.static_running", "_reversed"),
    ("python.ops.rnn", "_rnn_step"): ("internals.recurrent_steps", "rnn_step"),
    ("python.training.optimizer", "_var_key"): ("training.optimizer", "_key"),
    ("python.training.optimizer", "_get_processor"): ("internals.update_targets", "update_target"),
    ("python.framework.graph_util_impl", "_node_name"): ("framework.graph_pruning", "node_name"),
    ("python.framework.graph_util_impl", "_extract_graph_summary"): (
        "internals.graph_summaries",
        "extract_graph_summary",
    ),
    ("python.framework.graph_util_impl", "_assert_nodes_are_present"): (
        "internals.graph_summaries",
        "assert_nodes_are_present",
    ),
    ("python.framework.graph_util_impl", "_bfs_for_reachable_nodes"): ("framework.graph_pruning", "reachable_nodes"),
    ("python.estimator.canned.head", "_binary_logistic_head_with_sigmoid_cross_entropy_loss"): (
        "contrib.estimator.canned_heads",
        "binary_head",
    ),
    ("python.estimator.canned.head", "_multi_class_head_with_softmax_cross_entropy_loss"): (
        "contrib.estimator.canned_heads",
        "many_class_head",
    ),
    ("python.estimator.canned.optimizers", "get_optimizer_instance"): (
        "estimator.optimizers",
        "get_optimizer_instance",
    ),
    ("python.estimator.canned.head", "_Head"): ("estimator.heads", "BaseHead"),
    ("python.estimator.estimator", "_verify_model_fn_args"): ("estimator.model_functions", "check_model_fn"),
    ("python.estimator.model_fn", "_TPUEstimatorSpec"): ("contrib.tpu.tpu_estimator", "TPUEstimatorSpec"),
    ("python.feature_column.feature_column_v2", "EmbeddingColumn"): ("feature_column.embedded", "EmbeddingColumn"),
    ("python.ops.special_math_ops", "_einsum_v1"): ("ops.linalg.einsum", "einsum"),
    ("python.platform.gfile", "ListDir"): ("base.files.system", "list_directory"),
    ("python.util.tf_inspect", "Parameter"): ("internals.inspection", "Parameter"),
    ("python.util.tf_inspect", "signature"): ("internals.inspection", "signature"),
    ("python.estimator.canned.head", "_regression_head"): ("contrib.estimator.canned_heads", "number_head"),
    ("python.estimator.util", "parse_input_fn_result"): ("estimator.input_functions", "parsed_result"),
    ("python.estimator.util", "parse_iterator_result"): ("estimator.input_functions", "features_and_labels"),
    ("python.estimator.estimator", "EstimatorV2"): ("estimator.estimator", "Estimator"),
    ("python.ops.summary_ops_v2", "create_file_writer_v2"): ("internals.version_2.summaries", "create_file_writer"),
    ("python.ops.rnn", "_best_effort_input_batch_size"): ("rnn.steps", "batch_size_of"),
    ("python.ops.rnn", "_transpose_batch_time"): ("rnn.dynamic_running", "transpose_batch_time"),
    ("python.ops.rnn_cell_impl", "_Linear"): ("rnn.projection", "Projection"),
    ("python.ops.rnn_cell_impl", "ASSERT_LIKE_RNNCELL_ERROR_REGEXP"): ("rnn.cell", "NOT_A_CELL"),
    ("python.ops.rnn_cell_impl", "_BIAS_VARIABLE_NAME"): ("rnn.cell", "BIAS_NAME"),
    ("python.ops.rnn_cell_impl", "_WEIGHTS_VARIABLE_NAME"): ("rnn.cell", "WEIGHTS_NAME"),
    ("python.ops.rnn_cell_impl", "_concat"): ("rnn.sizes", "joined_sizes"),
    ("python.ops.rnn_cell_impl", "_like_rnncell"): ("rnn.cell", "is_like_rnn_cell"),
    ("python.ops.rnn_cell_impl", "_linear"): ("rnn.projection", "linear"),
    ("python.ops.rnn_cell_impl", "assert_like_rnncell"): ("rnn.cell", "assert_like_rnn_cell"),
    ("python.training.basic_session_run_hooks", "NeverTriggerTimer"): ("supervision.hooks.timers", "NeverTriggerTimer"),
    ("python.training.basic_session_run_hooks", "SummaryWriterCache"): ("summary.file_writer_cache", "FileWriterCache"),
    ("python.training.basic_session_run_hooks", "_as_graph_element"): (
        "supervision.hooks.graph_element",
        "as_graph_element",
    ),
    ("python.training.monitored_session", "USE_DEFAULT"): ("supervision.monitored_training_session", "USE_DEFAULT"),
    ("python.training.monitored_session", "_CoordinatedSession"): ("supervision.wrapped_session", "CoordinatedSession"),
    ("python.training.monitored_session", "_HookedSession"): ("supervision.wrapped_session", "HookedSession"),
    ("python.training.monitored_session", "_MonitoredSession"): ("supervision.monitored_session", "_MonitoredSession"),
    ("python.training.monitored_session", "_PREEMPTION_ERRORS"): ("supervision.wrapped_session", "PREEMPTION_ERRORS"),
    ("python.training.monitored_session", "_RecoverableSession"): ("supervision.wrapped_session", "RecoverableSession"),
    ("python.training.monitored_session", "_WrappedSession"): ("supervision.wrapped_session", "WrappedSession"),
    ("contrib.estimator.python.estimator.early_stopping", "_StopOnPredicateHook"): (
        "estimator.early_stopping",
        "_StopOnPredicateHook",
    ),
    ("contrib.layers.python.layers.layers", "_add_variable_to_collections"): (
        "contrib.layers.collecting",
        "collect_variable",
    ),
    ("contrib.layers.python.layers.layers", "_build_variable_getter"): (
        "contrib.layers.collecting",
        "model_variables_called",
    ),
    ("contrib.tfprof.tfprof_logger", "write_op_log"): ("profiler.model_analyzer", "write_op_log"),
    ("python.data.ops.dataset_ops", "DatasetV2"): ("data.dataset", "Dataset"),
    ("python.estimator.tpu.tpu_config", "RunConfig"): ("contrib.tpu.tpu_estimator", "TPURunConfig"),
    ("python.framework.ops", "_gradient_registry"): ("internals.gradient_rules", "GRADIENT_REGISTRY"),
    ("python.keras.engine.base_layer", "TensorFlowOpLayer"): ("keras.op_layers", "TensorFlowOpLayer"),
    ("python.keras.layers.recurrent", "PeepholeLSTMCell"): ("keras.recurrent_cells", "PeepholeLSTMCell"),
    ("python.keras.utils.conv_utils", "normalize_data_format"): (
        "internals.keras_arguments",
        "normalize_keras_data_format",
    ),
    ("python.ops.summary_ops_v2", "_INVALID_SCOPE_CHARACTERS"): ("summary.tags", "INVALID_SCOPE_CHARACTERS"),
    ("python.keras.utils.generic_utils", "to_snake_case"): ("layers.naming", "to_snake_case"),
    ("python.ops.gradient_checker", "_compute_dx_and_dy"): ("testing.gradient_checker", "derivative"),
    ("python.ops.gradient_checker", "_compute_theoretical_jacobian"): (
        "testing.gradient_checker",
        "theoretical_jacobian",
    ),
    ("python.platform.googletest", "GetTempDir"): ("testing.test_case", "get_temp_dir"),
    ("python.pywrap_tensorflow", "EqualGraphDefWrapper"): ("testing.graph_equality", "graph_def_difference"),
    ("python.training.device_setter", "STANDARD_PS_OPS"): ("cluster.device_setter", "STANDARD_PS_OPS"),
    ("python.training.device_setter", "_RoundRobinStrategy"): ("cluster.ps_strategy", "RoundRobinStrategy"),
    **{
        ("contrib.learn.python.learn.monitored_session", name): (place, name)
        for name, place in (
            ("ChiefSessionCreator", "supervision.session_creator"),
            ("MonitoredSession", "supervision.monitored_session"),
            ("Scaffold", "supervision.scaffold"),
            ("SessionCreator", "supervision.session_creator"),
            ("WorkerSessionCreator", "supervision.session_creator"),
        )
    },
    ("python.training.optimizer", "_deduplicate_indexed_slices"): ("training.optimizer", "_deduplicated"),
    ("python.training.saver", "_get_saver_or_default"): ("checkpoint.saver", "get_saver_or_default"),
    ("python.training.summary_io", "SummaryWriterCache"): ("summary.file_writer_cache", "FileWriterCache"),
    ("python.training.supervisor", "SVStepCounterThread"): ("supervision.supervisor_services", "SVStepCounterThread"),
    ("python.training.supervisor", "SVSummaryThread"): ("supervision.supervisor_services", "SVSummaryThread"),
    ("python.training.supervisor", "SVTimerCheckpointThread"): (
        "supervision.supervisor_services",
        "SVTimerCheckpointThread",
    ),
    ("python.training.training_util", "GLOBAL_STEP_READ_KEY"): ("training.global_step", "GLOBAL_STEP_READ_KEY"),
    ("python.training.training_util", "_get_or_create_global_step_read"): (
        "training.global_step",
        "get_or_create_global_step_read",
    ),
    ("python.training.training_util", "_increment_global_step"): ("training.global_step", "increment_global_step"),
}
