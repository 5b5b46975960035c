"""The layers of both languages, lowest first: the one list that the import tests read."""

# Packages and modules of `ferroflow._src`. A layer may import from the layers above it in this list, that is those
# below it in the building; members of one layer may import each other as long as no cycle closes.
PYTHON_LAYERS = (
    ("base",),
    ("framework",),
    ("session", "ops"),
    ("cluster",),
    ("control_flow",),
    ("variables",),
    ("autodiff",),
    (
        "layers",
        "rnn",
        "legacy_seq2seq",
        "losses",
        "metrics",
        "linear_operator",
        "drawing",
        "distributions",
        "summary",
        "checkpoint",
        "input",
        "data",
        "saved_model",
        "profiler",
    ),
    ("training", "feature_column"),
    ("keras",),
    ("supervision",),
    ("estimator",),
    ("horovod",),
    ("distribute",),
    ("datasets",),
    ("internals",),
    ("contrib",),
    ("testing",),
)

# Imports outside the top of a module: (module, what it imports) and the reason.
LATE_IMPORTS = {
    ("ferroflow", "a computed name"): "tf.test, tf.contrib, tf.losses and their like are loaded when first asked for",
    ("ferroflow._src.base.files.staging", "tempfile"): "costs 1 ms, and only files at URLs need it",
    (
        "ferroflow._src.base.files.staging",
        "shutil",
    ): "most programs never need it, and importing ferroflow should be fast",
    (
        "ferroflow._src.base.files.system",
        "shutil",
    ): "most programs never need it, and importing ferroflow should be fast",
    (
        "ferroflow._src.base.absent_names",
        "difflib",
    ): "most programs never need it, and importing ferroflow should be fast",
    (
        "ferroflow._src.ops.queue.queues",
        "hashlib",
    ): "most programs never need it, and importing ferroflow should be fast",
    ("ferroflow._alias.finders", "a computed name"): "what a program imports decides it",
    ("ferroflow._alias.standard_modules", "a computed name"): "what a program uses decides it",
    ("ferroflow._src.contrib.specs.composing", "a computed name"): "an expression names the module",
    ("ferroflow.command_line.notebook", "IPython.core.interactiveshell"): "an optional package, for magics alone",
    ("ferroflow.command_line.check", "a computed name"): "what a program uses decides it",
    (
        "ferroflow.command_line.board_process",
        "tensorboard.plugins.projector.projector_plugin",
    ): "TensorBoard is an optional package",
    ("ferroflow.command_line.board_process", "tensorboard.main"): "TensorBoard is an optional package",
    ("ferroflow.command_line.old_names", "a computed name"): "what a program uses decides it",
    ("ferroflow.command_line.bench_steps", "ferroflow"): "which library is timed is an argument",
    ("ferroflow.command_line.bench_steps", "tensorflow.compat.v1"): "which library is timed is an argument",
    ("ferroflow.command_line.tables", "rich.console.Console"): "costs 40 ms, and `ferroflow run` prints no table",
    ("ferroflow.command_line.tables", "rich.table.Table"): "costs 40 ms, and `ferroflow run` prints no table",
    ("ferroflow.command_line.tables", "rich.text.Text"): "costs 40 ms, and `ferroflow run` prints no table",
    ("ferroflow._src.horovod.process_group", "mpi4py.MPI"): "an optional package, whose import initializes MPI",
    ("ferroflow.command_line.launch", "ferroflow.command_line.launching.on_ray"): "Ray is an optional package",
    ("ferroflow.python._paths", "a computed name"): "what stands behind TensorFlow's modules is loaded late",
    ("ferroflow._src.base.virtual_modules", "a computed name"): "virtual modules are made when they are imported",
    (
        "ferroflow._src.base.absent_names",
        "a computed name",
    ): "modules of packages of tf.contrib are imported when they are used",
    ("ferroflow._src.base.late_modules", "a computed name"): "registries load what registers in them when it is needed",
    ("ferroflow._src.base.moved_modules", "a computed name"): "only what a program unpickles needs it",
    ("ferroflow.compat", "ferroflow.python.compat.compat"): "few programs use it",
    ("ferroflow.compat", "ferroflow.compat.v2"): "few programs use it",
    ("ferroflow.compat._version_2", "a computed name"): "few programs use it",
    ("ferroflow._src.internals.lazy_loader", "a computed name"): "it imports what its user names",
    ("ferroflow._src.base.proto", "google.protobuf.text_format"): "protobuf costs 20 ms at import",
    ("ferroflow._src.base.proto", "google.protobuf.json_format"): "protobuf costs 20 ms at import",
    ("ferroflow._src.base.proto", "google.protobuf.message"): "protobuf costs 20 ms at import",
    ("ferroflow._src.base.progress", "rich.progress"): "costs 100 ms, and most work ends before a line is shown",
    ("ferroflow._src.base.progress", "rich.console.Console"): "costs 40 ms, and most work ends before a line is shown",
    ("ferroflow._src.base.flags", "absl.flags"): "costs 20 ms at import, and most programs define no flags",
    ("ferroflow._src.keras.image_transforms", "a computed name"): "SciPy is an optional package",
    ("ferroflow._src.keras.images", "a computed name"): "Pillow is an optional package",
    ("ferroflow._src.keras.scikit_learn", "sklearn.utils"): "scikit-learn is an optional package",
    ("ferroflow.command_line.onnx_export.export", "onnx"): "an optional package, needed by `ferroflow convert` alone",
    ("ferroflow._src.keras.configurations", "yaml"): "an optional package, needed by to_yaml and model_from_yaml alone",
    ("ferroflow._src.base.files.remote", "fsspec"): "an optional package, needed by URLs alone",
    ("ferroflow._src.keras.hdf5", "h5py"): "an optional package, needed by Keras's HDF5 files alone",
    ("ferroflow._src.keras.model_drawing", "pydot"): "an optional package, needed by model_to_dot alone",
    ("ferroflow._src.keras.model_drawing", "pydot_ng"): "an optional package, needed by model_to_dot alone",
    ("ferroflow._src.keras.model_drawing", "pydotplus"): "an optional package, needed by model_to_dot alone",
    (
        "ferroflow._src.contrib.constrained_optimization.candidates",
        "scipy.optimize",
    ): "an optional package, needed by this one function",
    (
        "ferroflow._src.contrib.opt.external_optimizer",
        "scipy.optimize",
    ): "an optional package, needed by this one optimizer",
    ("ferroflow._src.base.dtypes", "ml_dtypes"): "an optional package, needed by bfloat16 alone",
    (
        "ferroflow._src.base.proto.symbols",
        "google.protobuf.internal.enum_type_wrapper",
    ): "protobuf costs 20 ms at import",
    ("ferroflow._src.base.proto.symbols", "google.protobuf.message_factory"): "protobuf costs 20 ms at import",
    ("ferroflow._src.base.proto.descriptor_set", "google.protobuf.descriptor_pool"): "protobuf costs 20 ms at import",
    ("ferroflow._src.base.proto.descriptor_set", "google.protobuf.descriptor_pb2"): "protobuf costs 20 ms at import",
    ("ferroflow._src.base.proto.descriptor_set", "a computed name"): "protobuf costs 20 ms at import",
    ("ferroflow._src.base.proto.described", "google.protobuf.descriptor_pb2"): "protobuf costs 20 ms at import",
    ("ferroflow._src.base.proto.manifest", "google.protobuf.descriptor_pb2"): "protobuf costs 20 ms at import",
    (
        "ferroflow._src.contrib.session_bundle.exporter",
        "google.protobuf.any_pb2.Any",
    ): "protobuf costs 20 ms at import",
    ("ferroflow.contrib.learn.python.learn", "a computed name"): "few programs import the modules it passes on",
}

# Every crate and the crates of the workspace that it may depend on, in any kind of dependency.
_ENGINE = {
    "ferroflow-proto",
    "ferroflow-sync",
    "ferroflow-tensor",
    "ferroflow-linalg",
    "ferroflow-fourier",
    "ferroflow-io",
    "ferroflow-graph",
    "ferroflow-graph-def",
    "ferroflow-ops",
    "ferroflow-input",
    "ferroflow-plan",
    "ferroflow-runtime",
    "ferroflow-cluster",
    "ferroflow-collective",
}
RUST_LAYERS = {
    "ferroflow-proto": set(),
    "ferroflow-sync": set(),
    "ferroflow-tensor": {"ferroflow-sync"},
    "ferroflow-linalg": set(),
    "ferroflow-fourier": {"ferroflow-sync", "ferroflow-tensor"},
    "ferroflow-io": {"ferroflow-proto", "ferroflow-sync", "ferroflow-tensor"},
    "ferroflow-graph": {"ferroflow-proto", "ferroflow-sync", "ferroflow-tensor"},
    "ferroflow-graph-def": {
        "ferroflow-proto",
        "ferroflow-sync",
        "ferroflow-tensor",
        "ferroflow-io",
        "ferroflow-graph",
    },
    "ferroflow-ops": {
        "ferroflow-proto",
        "ferroflow-sync",
        "ferroflow-tensor",
        "ferroflow-linalg",
        "ferroflow-fourier",
        "ferroflow-io",
        "ferroflow-graph",
    },
    "ferroflow-input": {
        "ferroflow-proto",
        "ferroflow-sync",
        "ferroflow-tensor",
        "ferroflow-io",
        "ferroflow-graph",
        "ferroflow-graph-def",
    },
    "ferroflow-plan": {"ferroflow-proto", "ferroflow-sync", "ferroflow-tensor", "ferroflow-graph"},
    "ferroflow-runtime": {
        "ferroflow-proto",
        "ferroflow-sync",
        "ferroflow-tensor",
        "ferroflow-graph",
        "ferroflow-plan",
    },
    "ferroflow-cluster": {
        "ferroflow-proto",
        "ferroflow-sync",
        "ferroflow-tensor",
        "ferroflow-graph",
        "ferroflow-plan",
        "ferroflow-runtime",
    },
    "ferroflow-collective": {"ferroflow-sync", "ferroflow-tensor", "ferroflow-graph"},
    "ferroflow-python": _ENGINE,
    "ferroflow-benches": _ENGINE,
    "ferroflow-peaks": set(),
}

# Crates that only these members may name.
RESERVED_CRATES = {
    "pyo3": {"ferroflow-python"},
    "numpy": {"ferroflow-python"},
    "faer": {"ferroflow-linalg"},
    "rustfft": {"ferroflow-fourier"},
    "realfft": {"ferroflow-fourier"},
    "parking_lot": {"ferroflow-sync"},
    "lock_api": {"ferroflow-sync"},
}

# Crates that may hold unsafe code; all others forbid it.
CRATES_WITH_UNSAFE = {
    "ferroflow-sync",
    "ferroflow-tensor",
    "ferroflow-io",
    "ferroflow-ops",
    "ferroflow-cluster",
    "ferroflow-python",
    "ferroflow-benches",
    "ferroflow-peaks",
}

# Functions with two or more arguments of type bool, and the reason.
ROWS_OF_BOOLS = {("python", "session::run_flat"): "the arguments of a method of Python have names where it is called"}

# Modules of these crates that use each other, and the reason. No circle may have more than three.
MODULE_CIRCLES: dict[str, dict[tuple[str, ...], str]] = {
    "plan": {
        (
            "regions::build",
            "regions::loops",
        ): "the region of a frame is built after the loops in it, each of which is a region",
    },
    "runtime": {
        ("execution", "loops", "suspended"): "an execution runs loops, which are executions; either may be suspended",
    },
    "cluster": {
        ("line", "watch"): "one thread watches all connections, each of which joins and leaves it",
        ("sleep", "sleep::plain", "sleep::polled"): "two ways to sleep, of which the module takes that of the system",
    },
}
