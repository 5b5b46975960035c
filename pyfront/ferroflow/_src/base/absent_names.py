"""Missing names of TensorFlow: their replacements, and the errors that name them."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any, Final

from ferroflow._src.base.public_modules import set_public_modules

_ROOT: Final = "ferroflow"
# The share of letters that two names have in common, as difflib counts it.
_NEARNESS: Final = 0.8
# Pages of the documentation are not installed: what helps is a command that is.
_LISTS: Final = "`ferroflow check PROGRAM.py` lists every such name of a program."
_EAGER: Final = "build a graph and run it in a tf.Session; eager execution is not offered"
_OLD_LEARN: Final = "tf.estimator, tf.layers and tf.feature_column"
_FORESTS: Final = "scikit-learn or XGBoost, which grow trees"
_DECODERS: Final = "tf.contrib.seq2seq.dynamic_decode, with a BasicDecoder of a TrainingHelper or GreedyEmbeddingHelper"
_OTHER_LIBRARY: Final = "an environment of its own with that library and Horovod"
_LAUNCHERS: Final = "`ferroflow launch --mpi`, mpirun or srun, which start the processes"
_VERSION_2: Final = "the interface of version 1; this name belongs to TensorFlow 2"
_NO_TPU: Final = "tf.contrib.tpu.TPUEstimator with use_tpu=False; there are no TPUs"
_NO_CONVERTER: Final = "`ferroflow freeze`, whose graph TensorFlow's converters for other devices read"

# By TensorFlow's name, or by the name of the module around it; the longest one that fits is shown.
INSTEAD: Final[dict[str, str]] = {
    "tf.batch_cholesky": "tf.cholesky",
    "tf.batch_cholesky_solve": "tf.cholesky_solve",
    "tf.batch_fft": "tf.fft",
    "tf.batch_fft2d": "tf.fft2d",
    "tf.batch_fft3d": "tf.fft3d",
    "tf.batch_ifft": "tf.ifft",
    "tf.batch_ifft2d": "tf.ifft2d",
    "tf.batch_ifft3d": "tf.ifft3d",
    "tf.batch_matrix_determinant": "tf.matrix_determinant",
    "tf.batch_matrix_inverse": "tf.matrix_inverse",
    "tf.batch_matrix_solve": "tf.matrix_solve",
    "tf.batch_matrix_solve_ls": "tf.matrix_solve_ls",
    "tf.batch_matrix_triangular_solve": "tf.matrix_triangular_solve",
    "tf.batch_self_adjoint_eig": "tf.self_adjoint_eig",
    "tf.batch_self_adjoint_eigvals": "tf.self_adjoint_eigvals",
    "tf.compat.v2": _VERSION_2,
    "tf.contrib.boosted_trees": _FORESTS,
    "tf.contrib.eager": _EAGER,
    "tf.contrib.estimator": "tf.estimator",
    "tf.contrib.feature_column": "tf.feature_column",
    "tf.contrib.gan": "tf.contrib.gan.gan_model, gan_loss and gan_train_ops, with the losses of tf.contrib.gan.losses",
    "tf.contrib.image": "tf.image",
    "tf.contrib.keras": "tf.keras",
    "tf.contrib.learn": _OLD_LEARN,
    "tf.contrib.lite": _NO_CONVERTER,
    "tf.contrib.seq2seq.attention_decoder_fn_inference": _DECODERS,
    "tf.contrib.seq2seq.attention_decoder_fn_train": _DECODERS,
    "tf.contrib.seq2seq.dynamic_rnn_decoder": _DECODERS,
    "tf.contrib.seq2seq.prepare_attention": "tf.contrib.seq2seq.BahdanauAttention or LuongAttention",
    "tf.contrib.seq2seq.simple_decoder_fn_inference": _DECODERS,
    "tf.contrib.seq2seq.simple_decoder_fn_train": _DECODERS,
    "tf.contrib.session_bundle": "tf.saved_model",
    "tf.contrib.skflow": _OLD_LEARN,
    "tf.contrib.tensor_forest": _FORESTS,
    "tf.contrib.tfprof": "tf.profiler",
    "tf.contrib.tpu": _NO_TPU,
    "tf.tpu": _NO_TPU,
    "tf.horovod.mxnet": _OTHER_LIBRARY,
    "tf.horovod.run": _LAUNCHERS,
    "tf.horovod.spark": _LAUNCHERS,
    "tf.horovod.tensorflow.DistributedGradientTape": _EAGER,
    "tf.horovod.torch": _OTHER_LIBRARY,
    "tf.lite": _NO_CONVERTER,
    "tf.models": "tf.nn.rnn_cell, tf.contrib.rnn and tf.contrib.legacy_seq2seq; other models are projects of their own",
    "tf.optimizers": "the optimizers of tf.train",
    "tf.python.debug": "tf.Print, or fetches of the tensors; tfdbg is not offered",
    "tf.random.set_seed": "tf.set_random_seed",
    "tf.sparse_split_v": "tf.sparse_split",
    "tf.summary.create_file_writer": "tf.summary.FileWriter",
}


def instead_of(name: str) -> str:
    """Returns what to write instead of a missing name.

    Args:
        name: str, TensorFlow's name, such as `tf.contrib.seq2seq.prepare_attention`.

    Returns:
        str, in a few words; "" if there is nothing to say.
    """
    parts = name.split(".")
    while parts:
        found = INSTEAD.get(".".join(parts))
        if found is not None:
            return found
        parts.pop()
    return ""


def _told(module: str) -> str:
    """Returns the advice about a missing module or name of ferroflow."""
    # TF 1.x has all of Keras a second time below `python`, where `import keras` finds it.
    name = ("tf" + module[len(_ROOT) :]).replace("tf.python.keras", "tf.keras", 1)
    instead = instead_of(name)
    return f"{name} is not in ferroflow{f'; instead: {instead}' if instead else ''}. {_LISTS}"


def absent(module: str, name: str) -> AttributeError:
    """Makes the error for a name that a public module lacks.

    Args:
        module: str, the module, such as `ferroflow.nn`.
        name: str, the missing name.

    Returns:
        AttributeError, to be raised; it begins as Python's own does.
    """
    text = f"module {module!r} has no attribute {name!r}"
    # Python and its tools look up many names of their own in modules.
    if not name.startswith("_"):
        near = near_name(sys.modules.get(module), name)
        text = f"{text}{f'; did you mean {near!r}?' if near else ':'} {_told(f'{module}.{name}')}"
    # Python would suggest a name a second time, from the names of `obj`; 3.12 and later set it where both are unset.
    return AttributeError(text, name=name, obj=None)


def near_name(module: object, name: str) -> str | None:
    """Returns the public name of a module that is spelled most like a name.

    Args:
        module: the module.
        name: str, a name that it lacks.

    Returns:
        str; None if none is near.
    """
    import difflib  # here, because most programs never need it

    # Programs call `hasattr`, too: only names of about the same length are compared.
    names = [known for known in dir(module) if not known.startswith("_") and abs(len(known) - len(name)) <= 2]
    names = [known for known in names if known != name]
    return next(iter(difflib.get_close_matches(name, names, 1, _NEARNESS)), None)


def tell_absent(namespace: dict[str, Any]) -> None:
    """Makes a module's missing names raise errors with advice, and its classes and functions name the module.

    The module's own text does not define `__getattr__`, because type checkers would then accept every name. It does not
    define `__path__` either, because `from module import name` would then search the finders for missing names.

    Args:
        namespace: dict, the `globals()` of the module; what it has of the two stays.
    """
    module: str = namespace["__name__"]

    def __getattr__(name: str) -> Any:
        below = _contrib_module(f"{module}.{name}")
        if below is None:
            raise absent(module, name)
        return below

    namespace.setdefault("__getattr__", __getattr__)
    namespace.setdefault("__path__", [])
    set_public_modules(namespace)


def _contrib_module(fullname: str) -> ModuleType | None:
    """Returns a module below a package of `tf.contrib`, or None; TensorFlow's packages import their modules."""
    if not fullname.startswith(f"{_ROOT}.contrib.") or fullname.rpartition(".")[2].startswith("_"):
        return None
    try:
        return importlib.import_module(fullname)
    except ModuleNotFoundError:
        return None


def absent_module(fullname: str) -> ModuleNotFoundError:
    """Makes the error for a module that ferroflow lacks.

    Args:
        fullname: str, the module's name, such as `ferroflow.contrib.gan`.

    Returns:
        ModuleNotFoundError, to be raised; it begins as Python's own does.
    """
    # Without `name`: `from package import module` drops the error, text and all, of the very name it tried.
    package, _, last = fullname.rpartition(".")
    # The modules at Keras's paths list only the names that were used.
    public = package.replace("ferroflow.python.keras", "ferroflow.keras", 1)
    near = near_name(sys.modules.get(public), last)
    text = f"No module named {fullname!r}{f'; did you mean {near!r}?' if near else ''}"
    return ModuleNotFoundError(f"{text}: {_told(fullname)}")
