"""`tf.python`: the modules in which TensorFlow 1.x defines its names, for programs that import them from there."""

from types import ModuleType as _ModuleType

from ferroflow.python._paths import install as _install
from ferroflow.python._paths import submodule as _submodule

_install()


def __getattr__(name: str) -> _ModuleType:
    found = _submodule("", name)
    if found is None:
        raise AttributeError(f"module 'tensorflow.python' has no attribute {name!r}")
    return found
