"""`tf.contrib`: the parts of it that programs lean on; each is loaded when first asked for."""

from typing import Any as _Any

from ferroflow._src.base.absent_names import absent as _absent
from ferroflow.contrib._paths import install as _install
from ferroflow.python._table import below as _below, submodule as _submodule

_install()


def __getattr__(name: str) -> _Any:
    found = _submodule("contrib", name)
    if found is None:
        raise _absent("ferroflow.contrib", name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_below("contrib")})
