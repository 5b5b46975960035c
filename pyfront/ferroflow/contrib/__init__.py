"""`tf.contrib`: the parts of it that programs lean on; each is loaded when first asked for."""

from typing import Any as _Any

from ferroflow._src.base.virtual_modules import serve as _serve
from ferroflow.python._paths import TensorFlowModules as _TensorFlowModules

_family = _serve("contrib", _TensorFlowModules())


def __getattr__(name: str) -> _Any:
    return _family.attribute("contrib", name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_family.names("contrib")})
