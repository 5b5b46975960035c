"""`tf.core`: the messages by the paths of TensorFlow's generated modules (`tf.core.framework.summary_pb2`)."""

from typing import Any as _Any

from ferroflow._src.base.proto.modules import MessageModules as _MessageModules
from ferroflow._src.base.proto.symbols import _restore as _restore
from ferroflow._src.base.virtual_modules import serve as _serve

_family = _serve("core", _MessageModules())


def __getattr__(name: str) -> _Any:
    return _family.attribute("core", name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_family.names("core")})
