"""`tf.tools.graph_transforms`: rewrites of frozen graphs, by the names of TensorFlow's transforms."""

import sys as _sys

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.base.public_modules import set_public_modules as _set_public_modules
from ferroflow._src.base.virtual_modules import ReplaceableModule as _ReplaceableModule
from ferroflow._src.internals.graph_transforms.applying import TransformGraph as TransformGraph

_set_public_modules(globals())
_tell_absent(globals())
# Programs replace functions of this module, as of those at TensorFlow's internal paths.
_sys.modules[__name__].__class__ = _ReplaceableModule
