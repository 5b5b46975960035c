"""`tf.compat`: text, bytes and numbers across Python versions."""

import importlib as _importlib
import sys as _sys
import typing as _typing
from typing import Any as _Any

from ferroflow._src.base.absent_names import absent as _absent
from ferroflow._src.base.compat import (
    as_bytes as as_bytes,
    as_str as as_str,
    as_str_any as as_str_any,
    as_text as as_text,
    bytes_or_text_types as bytes_or_text_types,
    complex_types as complex_types,
    integral_types as integral_types,
    path_to_str as path_to_str,
    real_types as real_types,
)
from ferroflow._src.base.public_modules import set_public_modules as _set_public_modules
from ferroflow._src.base.tensor_shape import (
    dimension_at_index as dimension_at_index,
    dimension_value as dimension_value,
)
from ferroflow._src.base.virtual_modules import serve as _serve
from ferroflow.compat._version_2 import Version2 as _Version2

if _typing.TYPE_CHECKING:
    from ferroflow._src.base.compat import (
        forward_compatibility_horizon as forward_compatibility_horizon,
        forward_compatible as forward_compatible,
    )
    from ferroflow.compat import v1 as v1
else:

    def __getattr__(name: str) -> _Any:
        if name == "v2":
            return _importlib.import_module("ferroflow.compat.v2")
        # TF 1.13 and later: `tf.compat.v1` is the interface that there is here.
        if name == "v1":
            return _sys.modules["ferroflow"]
        if name in ("forward_compatible", "forward_compatibility_horizon"):
            return getattr(_importlib.import_module("ferroflow.python.compat.compat"), name)
        raise _absent("ferroflow.compat", name)


_serve("compat", _Version2())
_set_public_modules(globals())
