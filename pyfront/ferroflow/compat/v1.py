"""`tf.compat.v1`: the interface of TensorFlow 1, which is all of ferroflow."""

import sys as _sys
from typing import TYPE_CHECKING as _TYPE_CHECKING

if _TYPE_CHECKING:
    from ferroflow import *  # noqa: F403  checkers see all names

_sys.modules[__name__] = _sys.modules["ferroflow"]
