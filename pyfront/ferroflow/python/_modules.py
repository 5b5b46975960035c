"""Tables beside `paths.json`: further internal modules, and where public names of modules are."""

from typing import Final

# Modules that only gather names, or whose names are generated: where they are public ("" is `tf` itself).
GATHERING: Final[dict[str, tuple[str, ...]]] = {
    "contrib.keras": ("keras",),
    "contrib.keras.api.keras": ("keras",),
    "python": ("",),
    "python.client.client_lib": ("",),
    "python.client.graph_util": ("graph_util",),
    "python.data": ("data",),
    "python.estimator.estimator_lib": ("estimator",),
    "python.estimator.export.export_lib": ("estimator.export",),
    "python.estimator.inputs.inputs": ("estimator.inputs",),
    "python.framework.errors": ("errors",),
    "python.framework.framework_lib": ("",),
    "python.framework.graph_util": ("graph_util",),
    "python.layers.layers": ("layers",),
    "python.lib.io.python_io": ("python_io",),
    "python.ops.distributions.distributions": ("distributions",),
    "python.ops.gradients": ("",),
    "python.ops.image_ops": ("image", ""),
    "python.ops.initializers_ns": ("initializers",),
    "python.ops.linalg.linalg": ("linalg",),
    "python.ops.losses.losses": ("losses",),
    "python.ops.metrics": ("metrics",),
    "python.ops.nn": ("nn", ""),
    "python.ops.rnn_cell": ("nn.rnn_cell",),
    "python.ops.sets": ("sets",),
    "python.ops.standard_ops": ("", "nn"),
    "python.platform.flags": ("flags",),
    "python.platform.gfile": ("gfile",),
    "python.pywrap_tensorflow": ("pywrap_tensorflow",),
    "python.saved_model.builder": ("saved_model.builder",),
    "python.saved_model.loader": ("saved_model.loader",),
    "python.saved_model.main_op": ("saved_model.main_op",),
    "python.saved_model.saved_model": ("saved_model",),
    "python.saved_model.signature_def_utils": ("saved_model.signature_def_utils",),
    "python.saved_model.utils": ("saved_model.utils",),
    "python.training.summary_io": ("train",),
    "python.training.training": ("train",),
}
# Other modules to search for names, by the start of the module's path, because TensorFlow's modules import from each
# other and pass names on.
ELSEWHERE: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("python.estimator.inputs", ("estimator.inputs",)),
    ("python.estimator.hooks.", ("train", "estimator.experimental")),
    ("python.estimator.", ("estimator", "estimator.export", "")),
    ("python.framework.", ("", "errors", "dtypes", "test")),
    ("python.layers.", ("layers",)),
    ("python.lib.io.", ("gfile", "python_io")),
    ("python.ops.lookup_ops", ("contrib.lookup", "lookup", "")),
    ("python.ops.losses.", ("losses",)),
    ("python.ops.", ("", "nn", "linalg", "image", "sparse", "strings", "train")),
    ("python.platform.gfile", ("gfile",)),
    ("python.platform.", ("", "test", "logging", "app")),
    ("python.summary.", ("summary",)),
    ("python.training.", ("train", "")),
    ("python.util.", ("compat",)),
    # A distribution and a bijector may have one name.
    ("contrib.distributions.python.ops.bijectors", ("contrib.distributions.bijectors", "contrib.distributions")),
    ("contrib.rnn.", ("contrib.rnn", "nn.rnn_cell", "nn")),
    ("contrib.seq2seq.", ("contrib.seq2seq", "nn.rnn_cell")),
    ("contrib.slim.", ("contrib.slim", "contrib.slim.learning")),
)
# Modules of the versions around 1.8 and 1.15 that programs still name.
EARLIER: Final = (
    "python.training.checkpointable.base",
    "python.training.checkpointable.data_structures",
    "contrib.rnn.python.ops.core_rnn",
    "contrib.rnn.python.ops.core_rnn_cell_impl",
    "python.ops.gen_training_ops",
    "contrib.factorization.python.ops.gen_clustering_ops",
    "contrib.factorization.python.ops.gen_factorization_ops",
)
# Modules of `contrib.distributions` until TensorFlow 1.3, and where the same modules are since.
MOVED: Final = {
    f"contrib.distributions.python.ops.{name}": f"python.ops.distributions.{name}"
    for name in (
        *("bernoulli", "beta", "categorical", "dirichlet", "dirichlet_multinomial", "distribution", "exponential"),
        *("gamma", "kullback_leibler", "laplace", "multinomial", "normal", "special_math", "student_t"),
        *("transformed_distribution", "uniform"),
    )
}
# Modules of the package `tensorflow_estimator` beside those that TensorFlow has itself.
ESTIMATOR: Final = tuple(
    f"python.estimator.{path}"
    for path in (
        *("canned.kmeans", "canned.rnn", "early_stopping", "hooks.basic_session_run_hooks", "hooks.hooks"),
        *("hooks.session_run_hook", "mode_keys", "tpu.tpu_config", "tpu.tpu_estimator"),
        *(
            f"head.{kind}_head"
            for kind in ("base", "binary_class", "multi", "multi_class", "multi_label", "regression")
        ),
    )
)
# Keras's modules that only gather names are packages of their own, below each of these.
KERAS: Final = ("python.keras", "python.keras._impl.keras")
KERAS_GATHERING: Final = (
    *("", ".activations", ".backend", ".callbacks", ".constraints", ".datasets", ".engine", ".initializers"),
    *(".layers", ".losses", ".metrics", ".models", ".optimizers", ".preprocessing", ".regularizers", ".utils"),
)
