"""`tf.compat.v2`: the functions of version 2 that programs of version 1 use; the rest of version 2 is not offered."""

from ferroflow._src.autodiff.py_function import py_function as py_function
from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.eager.function import function as function
from ferroflow._src.ops.array.indexing import where_v2 as _where_v2
from ferroflow._src.ops.script.py_func import numpy_function as numpy_function

where = _where_v2

_tell_absent(globals())
