"""`tf.core`: the messages by the paths of TensorFlow's generated modules (`tf.core.framework.summary_pb2`)."""

import importlib as _importlib
from types import ModuleType as _ModuleType

from ferroflow._src.base.absent_names import absent as _absent
from ferroflow._src.base.proto.modules import install as _install
from ferroflow._src.base.proto.symbols import _restore as _restore

_install("ferroflow.core")


def __getattr__(name: str) -> _ModuleType:
    if not name.startswith("_"):
        try:
            return _importlib.import_module(f"ferroflow.core.{name}")
        except ModuleNotFoundError:
            pass
    raise _absent("ferroflow.core", name)
