"""`tf.python`: the modules in which TensorFlow 1.x defines its names, for programs that import them from there."""

from types import ModuleType as _ModuleType

from ferroflow._src.base.absent_names import absent as _absent
from ferroflow.python._paths import install as _install
from ferroflow.python._table import submodule as _submodule

_install()


def __getattr__(name: str) -> _ModuleType:
    found = _submodule("python", name)
    if found is None:
        raise _absent("ferroflow.python", name)
    return found
