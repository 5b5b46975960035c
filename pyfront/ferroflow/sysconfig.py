"""`tf.sysconfig`: how the library was built."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.base.sysconfig import (
    CXX11_ABI_FLAG as CXX11_ABI_FLAG,
    MONOLITHIC_BUILD as MONOLITHIC_BUILD,
    get_compile_flags as get_compile_flags,
    get_include as get_include,
    get_lib as get_lib,
    get_link_flags as get_link_flags,
)

_tell_absent(globals())
