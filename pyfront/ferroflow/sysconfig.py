"""`tf.sysconfig`: how the library was built."""

from ferroflow._src.base.sysconfig import (
    get_compile_flags as get_compile_flags,
)
from ferroflow._src.base.sysconfig import (
    get_include as get_include,
)
from ferroflow._src.base.sysconfig import (
    get_lib as get_lib,
)
from ferroflow._src.base.sysconfig import (
    get_link_flags as get_link_flags,
)
