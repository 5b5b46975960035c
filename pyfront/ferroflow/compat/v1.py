"""`tf.compat.v1`: the interface of TensorFlow 1, which is all of ferroflow."""

import sys as _sys

_sys.modules[__name__] = _sys.modules["ferroflow"]
