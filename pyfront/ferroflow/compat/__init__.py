"""`tf.compat`: text, bytes and numbers across Python versions."""

import sys as _sys
from types import ModuleType as _ModuleType

from ferroflow._src.base.compat import (
    as_bytes as as_bytes,
)
from ferroflow._src.base.compat import (
    as_str as as_str,
)
from ferroflow._src.base.compat import (
    as_str_any as as_str_any,
)
from ferroflow._src.base.compat import (
    as_text as as_text,
)
from ferroflow._src.base.compat import (
    bytes_or_text_types as bytes_or_text_types,
)
from ferroflow._src.base.compat import (
    complex_types as complex_types,
)
from ferroflow._src.base.compat import (
    integral_types as integral_types,
)
from ferroflow._src.base.compat import (
    path_to_str as path_to_str,
)
from ferroflow._src.base.compat import (
    real_types as real_types,
)


def __getattr__(name: str) -> _ModuleType:
    # TF 1.13 and later: `tf.compat.v1` is the interface that there is here.
    if name == "v1":
        return _sys.modules["ferroflow"]
    raise AttributeError(f"module 'ferroflow.compat' has no attribute {name!r}")
