"""`tf.flags`: command-line flags; names beyond the usual ones come from absl when first asked for."""

from typing import Any

from ferroflow._src.base import flags as _flags
from ferroflow._src.base.absent_names import tell_absent as _tell_absent


def __getattr__(name: str) -> Any:
    return getattr(_flags, name)


def __dir__() -> list[str]:
    return dir(_flags)


_tell_absent(globals())
