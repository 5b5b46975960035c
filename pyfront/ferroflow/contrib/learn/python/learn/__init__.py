"""`tf.contrib.learn.python.learn`: where `tf.contrib.learn` has its names from."""

import importlib as _importlib
import sys as _sys
import typing as _typing

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.learn import run_config as run_config
from ferroflow.contrib.learn.python.learn import datasets as datasets, preprocessing as preprocessing

if not _typing.TYPE_CHECKING:

    def __getattr__(name):
        # `tf.contrib.learn` imports this module, so its names can only be found when they are used.
        try:
            return getattr(_sys.modules["ferroflow.contrib.learn"], name)
        except AttributeError:
            if name not in ("estimator", "run_config"):
                raise
        # Modules of `estimators` that TensorFlow's package passes on.
        return getattr(_importlib.import_module(f"{__name__}.estimators"), name)


_tell_absent(globals())
