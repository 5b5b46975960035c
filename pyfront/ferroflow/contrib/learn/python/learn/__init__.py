"""`tf.contrib.learn.python.learn`: where `tf.contrib.learn` has its names from."""

import sys as _sys
import typing as _typing

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.learn import run_config as run_config
from ferroflow.contrib.learn.python.learn import datasets as datasets, preprocessing as preprocessing

if not _typing.TYPE_CHECKING:

    def __getattr__(name):
        # `tf.contrib.learn` imports this module, so its names can only be found when they are used.
        return getattr(_sys.modules["ferroflow.contrib.learn"], name)


_tell_absent(globals())
