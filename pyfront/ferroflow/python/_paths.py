"""Modules by TensorFlow's internal paths (`ops.math_ops`), whose names are the public ones."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

from ferroflow._src.base.absent_names import absent
from ferroflow._src.framework.op_schema import op_schema
from ferroflow.python._table import public_names, root_attribute, serve

_ROOT = "ferroflow"
_PACKAGE_PATH = "python"

# Modules that only gather names, or whose names are generated: where they are public ("" is `tf` itself).
_GATHERING = {
    "client.client_lib": ("",),
    "client.graph_util": ("graph_util",),
    "estimator.estimator_lib": ("estimator",),
    "estimator.export.export_lib": ("estimator.export",),
    "estimator.inputs.inputs": ("estimator.inputs",),
    "framework.errors": ("errors",),
    "framework.framework_lib": ("",),
    "framework.graph_util": ("graph_util",),
    "layers.layers": ("layers",),
    "lib.io.python_io": ("python_io",),
    "ops.distributions.distributions": ("distributions",),
    "ops.gradients": ("",),
    "ops.image_ops": ("image", ""),
    "ops.initializers_ns": ("initializers",),
    "ops.linalg.linalg": ("linalg",),
    "ops.losses.losses": ("losses",),
    "ops.metrics": ("metrics",),
    "ops.nn": ("nn", ""),
    "ops.rnn_cell": ("nn.rnn_cell",),
    "ops.sets": ("sets",),
    "ops.standard_ops": ("", "nn"),
    "platform.flags": ("flags",),
    "platform.gfile": ("gfile",),
    "pywrap_tensorflow": ("pywrap_tensorflow",),
    "saved_model.builder": ("saved_model.builder",),
    "saved_model.loader": ("saved_model.loader",),
    "saved_model.main_op": ("saved_model.main_op",),
    "saved_model.saved_model": ("saved_model",),
    "saved_model.signature_def_utils": ("saved_model.signature_def_utils",),
    "saved_model.utils": ("saved_model.utils",),
    "training.summary_io": ("train",),
    "training.training": ("train",),
}
# Other modules to search for names, by the start of the module's path, because TensorFlow's modules import from each
# other and pass names on.
_ELSEWHERE = (
    ("estimator.inputs", ("estimator.inputs",)),
    ("estimator.", ("estimator", "estimator.export", "")),
    ("framework.", ("", "errors", "dtypes", "test")),
    ("layers.", ("layers",)),
    ("lib.io.", ("gfile", "python_io")),
    ("ops.lookup_ops", ("contrib.lookup", "lookup", "")),
    ("ops.losses.", ("losses",)),
    ("ops.", ("", "nn", "linalg", "image", "sparse", "strings", "train")),
    ("platform.gfile", ("gfile",)),
    ("platform.", ("", "test", "logging", "app")),
    ("summary.", ("summary",)),
    ("training.", ("train", "")),
    ("util.", ("compat",)),
)
# Names that are not public, by module: where they are here.
_INTERNAL = {
    "pywrap_tensorflow": ("ferroflow._src.internals.op_list",),
    "framework.op_def_registry": ("ferroflow._src.internals.op_list",),
    "ops.op_selector": ("ferroflow._src.internals.graph_walks",),
    "util.keyword_args": ("ferroflow._src.base.keyword_args",),
    "training.device_setter": ("ferroflow._src.cluster.ps_strategy",),
    "training.saving.saveable_object_util": ("ferroflow._src.checkpoint.saver_builder",),
    "training.saving.saveable_object": ("ferroflow._src.framework.saveable",),
    "training.saver": ("ferroflow._src.checkpoint.saver_builder", "ferroflow._src.checkpoint.saver"),
    "training.slot_creator": ("ferroflow._src.training.slot_creator",),
    "training.checkpoint_management": ("ferroflow._src.checkpoint.state", "ferroflow._src.checkpoint.waiting"),
    "training.checkpoint_utils": (
        "ferroflow._src.checkpoint.waiting",
        "ferroflow._src.checkpoint.init_from_checkpoint",
        "ferroflow._src.checkpoint.reader",
    ),
    "summary.writer.writer": ("ferroflow._src.summary.file_writer",),
    "summary.writer.event_file_writer": ("ferroflow._src.summary.event_file_writer",),
    "summary.plugin_asset": ("ferroflow._src.summary.plugin_asset",),
    "saved_model.loader_impl": ("ferroflow._src.saved_model.loader",),
    "ops.distributions.bijector": ("ferroflow._src.contrib.bijectors.base",),
    "ops.distributions.bijector_impl": ("ferroflow._src.contrib.bijectors.base",),
    "ops.distributions.identity_bijector": ("ferroflow._src.contrib.bijectors.identity",),
    "ops.distributions.kullback_leibler": ("ferroflow._src.distributions.divergence",),
    "ops.distributions.special_math": ("ferroflow._src.distributions.special_math",),
    "ops.weights_broadcast_ops": ("ferroflow._src.ops.math.weights_broadcast",),
    "ops.template": ("ferroflow._src.variables.template",),
    "ops.summary_op_util": ("ferroflow._src.summary.tags",),
    "ops.session_ops": ("ferroflow._src.session.tensor_handle",),
    "ops.nn_ops": ("ferroflow._src.ops.nn.convolution", "ferroflow._src.ops.nn.ranking", "ferroflow._src.ops.nn.conv"),
    "ops.data_flow_ops": (
        "ferroflow._src.ops.queue.barriers",
        "ferroflow._src.ops.queue.record_input",
        "ferroflow._src.ops.queue.staging",
    ),
    "ops.control_flow_util": ("ferroflow._src.internals.flow_queries",),
    "ops.control_flow_ops": (
        "ferroflow._src.control_flow.context",
        "ferroflow._src.control_flow.conditional",
        "ferroflow._src.control_flow.loop",
    ),
    "ops.confusion_matrix": ("ferroflow._src.ops.math.confusion_matrix",),
    "framework.dtypes": ("ferroflow._src.internals.reference_dtypes",),
    "framework.tensor_like": ("ferroflow._src.internals.graph_elements",),
    "framework.sparse_tensor": ("ferroflow._src.framework.composite",),
    "framework.meta_graph": (
        "ferroflow._src.checkpoint.meta_graph_export",
        "ferroflow._src.checkpoint.meta_graph_import",
    ),
    "framework.indexed_slices": ("ferroflow._src.framework.composite",),
    "framework.device": ("ferroflow._src.base.device_spec",),
    "feature_column.feature_column": (
        "ferroflow._src.feature_column.column",
        "ferroflow._src.feature_column.numeric",
        "ferroflow._src.feature_column.categorical",
        "ferroflow._src.feature_column.crossed",
        "ferroflow._src.feature_column.embedded",
    ),
    "data.util.random_seed": ("ferroflow._src.framework.random_seed",),
    "data.util.nest": ("ferroflow._src.data.element_nest",),
    "data.ops.dataset_ops": ("ferroflow._src.data.dataset",),
    "client.session": ("ferroflow._src.session.session",),
    "layers.convolutional": ("ferroflow._src.layers.convolution",),
    "layers.pooling": ("ferroflow._src.layers.pooling",),
    "keras.utils.conv_utils": ("ferroflow._src.layers.space",),
    "ops.variables": ("ferroflow._src.variables.partitioned_variable",),
    "ops.init_ops": ("ferroflow._src.variables.initializers",),
    "framework.test_util": ("ferroflow._src.testing.test_util",),
    "framework.ops": (
        "ferroflow._src.internals.graph_elements",
        "ferroflow._src.framework.proto_functions",
        "ferroflow._src.framework.gradient_registry",
    ),
    "compat.compat": ("ferroflow._src.internals.version_switch",),
    "training.evaluation": ("ferroflow._src.internals.checkpoint_evaluation",),
    "tf2": ("ferroflow._src.internals.version_switch",),
    "ops.distributions.util": (
        "ferroflow._src.distributions.parameterization",
        "ferroflow._src.distributions.validation",
        "ferroflow._src.contrib.distributions.matrices_and_vectors",
        "ferroflow._src.contrib.distributions.static_shapes",
    ),
    "ops.distributions.transformed_distribution": ("ferroflow._src.contrib.distributions.transformed",),
    "ops.linalg.linear_operator_util": (
        "ferroflow._src.linear_operator.batch",
        "ferroflow._src.linear_operator.checks",
    ),
    "client.device_lib": ("ferroflow._src.session.devices",),
    "client.timeline": ("ferroflow._src.session.timeline",),
    "framework.smart_cond": (
        "ferroflow._src.control_flow.smart_conditional",
        "ferroflow._src.control_flow.static_choice",
    ),
    "framework.tensor_shape": ("ferroflow._src.base.tensor_shape",),
    "framework.tensor_util": ("ferroflow._src.framework.constant", "ferroflow._src.linear_operator.batch"),
    "layers.utils": ("ferroflow._src.layers.space", "ferroflow._src.control_flow.smart_conditional"),
    "lib.io.file_io": ("ferroflow._src.base.files.content",),
    "ops.lookup_ops": ("ferroflow._src.ops.lookup.vocabulary",),
    "ops.resource_variable_ops": ("ferroflow._src.variables.resource_variable",),
    "training.checkpoint_state_pb2": ("ferroflow._src.base.proto",),
    "saved_model.signature_def_utils_impl": ("ferroflow._src.saved_model.signatures",),
    "eager.backprop": ("ferroflow._src.internals.gradient_tape",),
    "eager.context": ("ferroflow._src.internals.eager_context",),
    "estimator.util": ("ferroflow._src.internals.callables",),
    "framework.function": ("ferroflow._src.internals.defun",),
    "util.all_util": ("ferroflow._src.internals.public_names",),
    "util.deprecation": ("ferroflow._src.internals.deprecation",),
    "util.function_utils": ("ferroflow._src.internals.callables",),
    "util.tf_export": ("ferroflow._src.internals.public_names",),
    "util.tf_inspect": ("ferroflow._src.internals.inspection",),
    "tools.freeze_graph": ("ferroflow._src.internals.graph_tools",),
    "tools.inspect_checkpoint": ("ferroflow._src.internals.checkpoint_inspection",),
    "tools.optimize_for_inference_lib": ("ferroflow._src.internals.graph_tools",),
    "tools.strip_unused_lib": ("ferroflow._src.internals.graph_tools",),
    "training.moving_averages": ("ferroflow._src.training.moving_averages",),
    "ops.resources": ("ferroflow._src.variables.resources",),
    "util.nest": ("ferroflow._src.base.nest",),
    "util.tf_contextlib": ("contextlib",),
    "util.tf_decorator": ("ferroflow._src.base.decorators",),
}
# The same for single names of modules whose other names are public: (module, name) -> (module here, name there).
_INTERNAL_NAMES = {
    ("feature_column.feature_column", "_FeatureColumn"): ("feature_column.column", "FeatureColumn"),
    ("feature_column.feature_column", "_DenseColumn"): ("feature_column.column", "DenseColumn"),
    ("feature_column.feature_column", "_CategoricalColumn"): ("feature_column.column", "CategoricalColumn"),
    ("feature_column.feature_column", "_NumericColumn"): ("feature_column.numeric", "NumericColumn"),
    ("feature_column.feature_column", "_BucketizedColumn"): ("feature_column.numeric", "BucketizedColumn"),
    ("feature_column.feature_column", "_IndicatorColumn"): ("feature_column.embedded", "IndicatorColumn"),
    ("feature_column.feature_column", "_EmbeddingColumn"): ("feature_column.embedded", "EmbeddingColumn"),
    ("feature_column.feature_column", "_SharedEmbeddingColumn"): ("feature_column.embedded", "SharedEmbeddingColumn"),
    ("feature_column.feature_column", "_CrossedColumn"): ("feature_column.crossed", "CrossedColumn"),
    ("feature_column.feature_column", "_HashedCategoricalColumn"): (
        "feature_column.categorical",
        "HashedCategoricalColumn",
    ),
    ("feature_column.feature_column", "_VocabularyFileCategoricalColumn"): (
        "feature_column.categorical",
        "VocabularyFileCategoricalColumn",
    ),
    ("feature_column.feature_column", "_VocabularyListCategoricalColumn"): (
        "feature_column.categorical",
        "VocabularyListCategoricalColumn",
    ),
    ("feature_column.feature_column", "_IdentityCategoricalColumn"): (
        "feature_column.categorical",
        "IdentityCategoricalColumn",
    ),
    ("feature_column.feature_column", "_WeightedCategoricalColumn"): (
        "feature_column.categorical",
        "WeightedCategoricalColumn",
    ),
    ("ops.init_ops", "_compute_fans"): ("variables.initializers", "_fans"),
    ("framework.ops", "_device_string"): ("framework.operation", "_device_string"),
    ("framework.ops", "default_session"): ("framework.default_stacks", "default_session"),
    ("framework.function", "_DefinedFunction"): ("internals.defun", "DefinedFunction"),
    ("ops.array_ops", "rank_internal"): ("ops.array.shaping", "rank"),
    ("ops.array_ops", "size_internal"): ("ops.array.shaping", "size_internal"),
    ("ops.array_ops", "shape_internal"): ("ops.array.shaping", "shape_internal"),
    ("ops.array_ops", "listdiff"): ("ops.array.indexing", "listdiff"),
    ("ops.metrics_impl", "_confusion_matrix_at_thresholds"): ("metrics.thresholds", "counts_at_thresholds"),
    ("ops.losses.losses_impl", "_remove_squeezable_dimensions"): (
        "ops.math.confusion_matrix",
        "remove_squeezable_dimensions",
    ),
    ("ops.variable_scope", "_VariableStore"): ("variables.variable_store", "VariableStore"),
    ("ops.variable_scope", "_get_default_variable_store"): ("variables.variable_store", "default_variable_store"),
    ("ops.variable_scope", "_ReuseMode"): ("variables.variable_scope", "_ReuseMode"),
    ("ops.variable_scope", "_PartitionInfo"): ("variables.partition_info", "PartitionInfo"),
    ("ops.rnn_cell_impl", "LayerRNNCell"): ("rnn.cell", "LayerRNNCell"),
    ("ops.variables", "_all_saveable_objects"): ("checkpoint.saver", "_all_saveable_objects"),
    ("platform.tf_logging", "get_logger"): ("base.tf_logging", "_get_logger"),
    ("framework.tensor_shape", "dimension_value"): ("base.tensor_shape", "dimension_value"),
    ("ops.variable_scope", "variable"): ("variables.variable", "Variable"),
    ("ops.variable_scope", "_pure_variable_scope"): ("variables.scope", "pure_variable_scope"),
    ("layers.utils", "constant_value"): ("control_flow.smart_conditional", "smart_constant_value"),
    ("framework.smart_cond", "smart_constant_value"): ("control_flow.smart_conditional", "smart_constant_value"),
    ("ops.distributions.beta", "BetaWithSoftplusConcentration"): (
        "distributions.beta",
        "BetaWithSoftplusConcentration",
    ),
    ("ops.distributions.exponential", "ExponentialWithSoftplusRate"): (
        "distributions.exponential",
        "ExponentialWithSoftplusRate",
    ),
    ("ops.distributions.gamma", "GammaWithSoftplusConcentrationRate"): (
        "distributions.gamma",
        "GammaWithSoftplusConcentrationRate",
    ),
    ("ops.distributions.laplace", "LaplaceWithSoftplusScale"): ("distributions.laplace", "LaplaceWithSoftplusScale"),
    ("ops.distributions.normal", "NormalWithSoftplusScale"): ("distributions.normal", "NormalWithSoftplusScale"),
    ("ops.distributions.student_t", "StudentTWithAbsDfSoftplusScale"): (
        "distributions.student_t",
        "StudentTWithAbsDfSoftplusScale",
    ),
    ("ops.distributions.util", "embed_check_nonnegative_integer_form"): (
        "distributions.validation",
        "nonnegative_integer_form",
    ),
    ("ops.distributions.util", "embed_check_categorical_event_shape"): (
        "distributions.validation",
        "categorical_event_shape",
    ),
    ("ops.metrics_impl", "_remove_squeezable_dimensions"): ("metrics.accumulation", "match_ranks"),
    ("ops.metrics_impl", "metric_variable"): ("metrics.accumulation", "metric_variable"),
    ("ops.metrics_impl", "_safe_scalar_div"): ("metrics.accumulation", "quotient"),
    ("ops.rnn_cell_impl", "_zero_state_tensors"): ("rnn.sizes", "zero_tensors"),
    ("client.session", "register_session_run_conversion_functions"): (
        "session.fetches",
        "register_session_run_conversion_functions",
    ),
    ("ops.control_flow_ops", "merge"): ("control_flow.primitives", "merge"),
    ("ops.control_flow_ops", "switch"): ("control_flow.primitives", "switch"),
    ("ops.control_flow_ops", "with_dependencies"): ("ops.flow.grouping", "with_dependencies"),
    ("ops.rnn", "_best_effort_input_batch_size"): ("rnn.steps", "batch_size_of"),
    ("ops.rnn", "_transpose_batch_time"): ("rnn.dynamic_running", "transpose_batch_time"),
    ("ops.rnn_cell_impl", "_Linear"): ("rnn.projection", "Projection"),
    ("ops.rnn_cell_impl", "_concat"): ("rnn.sizes", "joined_sizes"),
    ("ops.rnn_cell_impl", "_like_rnncell"): ("rnn.cell", "is_like_rnn_cell"),
    ("ops.rnn_cell_impl", "_linear"): ("rnn.projection", "linear"),
    ("ops.rnn_cell_impl", "assert_like_rnncell"): ("rnn.cell", "assert_like_rnn_cell"),
    ("training.basic_session_run_hooks", "NeverTriggerTimer"): ("supervision.hooks.timers", "NeverTriggerTimer"),
    ("training.basic_session_run_hooks", "SummaryWriterCache"): ("summary.file_writer_cache", "FileWriterCache"),
    ("training.basic_session_run_hooks", "_as_graph_element"): ("supervision.hooks.graph_element", "as_graph_element"),
    ("training.monitored_session", "USE_DEFAULT"): ("supervision.monitored_training_session", "USE_DEFAULT"),
    ("training.monitored_session", "_CoordinatedSession"): ("supervision.wrapped_session", "CoordinatedSession"),
    ("training.monitored_session", "_HookedSession"): ("supervision.wrapped_session", "HookedSession"),
    ("training.monitored_session", "_MonitoredSession"): ("supervision.monitored_session", "_MonitoredSession"),
    ("training.monitored_session", "_PREEMPTION_ERRORS"): ("supervision.wrapped_session", "PREEMPTION_ERRORS"),
    ("training.monitored_session", "_RecoverableSession"): ("supervision.wrapped_session", "RecoverableSession"),
    ("training.monitored_session", "_WrappedSession"): ("supervision.wrapped_session", "WrappedSession"),
    ("training.saver", "_get_saver_or_default"): ("checkpoint.saver", "get_saver_or_default"),
    ("training.summary_io", "SummaryWriterCache"): ("summary.file_writer_cache", "FileWriterCache"),
    ("training.supervisor", "SVStepCounterThread"): ("supervision.supervisor_services", "SVStepCounterThread"),
    ("training.supervisor", "SVSummaryThread"): ("supervision.supervisor_services", "SVSummaryThread"),
    ("training.supervisor", "SVTimerCheckpointThread"): ("supervision.supervisor_services", "SVTimerCheckpointThread"),
    ("training.training_util", "GLOBAL_STEP_READ_KEY"): ("training.global_step", "GLOBAL_STEP_READ_KEY"),
    ("training.training_util", "_get_or_create_global_step_read"): (
        "training.global_step",
        "get_or_create_global_step_read",
    ),
    ("training.training_util", "_increment_global_step"): ("training.global_step", "increment_global_step"),
}
# Keras's modules, which TensorFlow 1.9 moved; those that only gather names are packages of their own.
_KERAS, _KERAS_BEFORE = "keras", "keras._impl.keras"
_KERAS_GATHERING = (
    *("", ".activations", ".backend", ".callbacks", ".constraints", ".datasets", ".engine", ".initializers"),
    *(".layers", ".losses", ".metrics", ".models", ".optimizers", ".preprocessing", ".regularizers", ".utils"),
)
_GENERATED = "ops.gen_"
# Modules that pass generated names on.
_PASSING_ON = ("ops.resource_variable_ops", "ops.state_ops")


# Modules that TensorFlow 1.8 and 1.15 do not have at these paths: Keras's, wherever they stood.
_EXTRA = [f"{_PACKAGE_PATH}.{start}{end}" for start in (_KERAS, _KERAS_BEFORE) for end in _KERAS_GATHERING]


@cache
def _generated_types() -> dict[str, str]:
    """Returns the op types by the names of the functions that TensorFlow generates for them."""
    raw_ops = root_attribute("raw_ops")
    return {_snake_case(op_type): op_type for op_type in dir(raw_ops) if op_type[:1].isupper()}


def _snake_case(op_type: str) -> str:
    letters = []
    for i, letter in enumerate(op_type):
        after = op_type[i + 1 : i + 2]
        if letter.isupper() and i and (not op_type[i - 1].isupper() or after.islower()):
            letters.append("_")
        letters.append(letter.lower())
    return "".join(letters)


def _arguments(op_type: str) -> list[str]:
    """Returns the arguments of the generated function, in order: inputs, attributes that no input decides, name."""
    schema = op_schema(op_type)
    decided = {arg.get(kind) for arg in schema["inputs"] for kind in ("type_attr", "number_attr")}
    attrs = [attr for attr in schema["attrs"] if attr["name"] not in decided]
    attrs.sort(key=lambda attr: attr["has_default"])
    return [*(arg["name"] for arg in schema["inputs"]), *(attr["name"] for attr in attrs), "name"]


def _generated(name: str) -> Callable[..., Any] | None:
    op_type = _generated_types().get(name.lstrip("_"))
    if op_type is None:
        return None
    function: Callable[..., Any] = getattr(root_attribute("raw_ops"), op_type)
    order = _arguments(op_type)

    def generated(*args: Any, **kwargs: Any) -> Any:
        if len(args) > len(order):
            raise TypeError(f"{name}() takes {len(order)} positional arguments but {len(args)} were given")
        return function(**dict(zip(order, args, strict=False)), **kwargs)

    generated.__name__ = generated.__qualname__ = name
    generated.__doc__ = function.__doc__
    return generated


def _found(full_path: str, name: str) -> Any:
    """Returns the object with a name in a module; raises AttributeError if there is none."""
    path = full_path.removeprefix(f"{_PACKAGE_PATH}.")
    if (path, name) in _INTERNAL_NAMES:
        module, inner = _INTERNAL_NAMES[path, name]
        return getattr(importlib.import_module(f"{_ROOT}._src.{module}"), inner)
    for backing in _INTERNAL.get(path, ()):
        internal = importlib.import_module(backing)
        if hasattr(internal, name):
            return getattr(internal, name)
    public = [*public_names(full_path, name), *public_names(_moved(full_path), name)]
    for place in public:
        try:
            return root_attribute(place)
        except AttributeError:
            continue
    if path.startswith((_GENERATED, *_PASSING_ON)):
        generated = _generated(name)
        if generated is not None:
            return generated
    for place in (*_GATHERING.get(path, ()), *_elsewhere(path)):
        try:
            found = getattr(root_attribute(place), name)
        except AttributeError:
            continue
        # A module of `tf` (`tf.nn`) is what some modules import, which the table knows; it is no function of theirs.
        if not isinstance(found, ModuleType) or path in _GATHERING:
            return found
    raise absent(f"{_ROOT}.{full_path}", name)


def _moved(path: str) -> str:
    """Returns the path that TensorFlow 1.8 had for a module of Keras."""
    keras = f"{_PACKAGE_PATH}.{_KERAS}"
    return f"{_PACKAGE_PATH}.{_KERAS_BEFORE}{path.removeprefix(keras)}" if path.startswith(f"{keras}.") else path


def _elsewhere(path: str) -> tuple[str, ...]:
    """Returns the modules that may have the names a module does not define."""
    if not path.startswith(_KERAS):
        return next((places for start, places in _ELSEWHERE if path.startswith(start)), ())
    parts = [_KERAS, *path.removeprefix(_KERAS_BEFORE).removeprefix(_KERAS).split(".")[1:]]
    return (*(".".join(parts[:n]) for n in range(len(parts), 0, -1)), "keras.layers", "keras.models")


def install() -> None:
    """Makes the modules importable."""
    serve(_PACKAGE_PATH, _found, _EXTRA)
