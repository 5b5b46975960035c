"""`tf.python`: the modules in which TensorFlow 1.x defines its names, for programs that import them from there."""

from typing import Any as _Any

from ferroflow._src.base.virtual_modules import serve as _serve
from ferroflow.python._paths import TensorFlowModules as _TensorFlowModules

_family = _serve("python", _TensorFlowModules())


def __getattr__(name: str) -> _Any:
    return _family.attribute("python", name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_family.names("python")})
