"""`tf.contrib.tensorboard.plugins.projector`: embeddings in TensorBoard's projector."""

import typing as _typing
from typing import Any as _Any

from ferroflow._src.base import proto as _proto
from ferroflow._src.base.absent_names import absent as _absent, tell_absent as _tell_absent
from ferroflow._src.summary.projector import visualize_embeddings as visualize_embeddings

_MESSAGES = frozenset(("EmbeddingInfo", "ProjectorConfig", "SpriteMetadata"))


if _typing.TYPE_CHECKING:
    from ferroflow._src.base.proto import (
        EmbeddingInfo as EmbeddingInfo,
        ProjectorConfig as ProjectorConfig,
        SpriteMetadata as SpriteMetadata,
    )
else:

    def __getattr__(name: str) -> _Any:
        if name in _MESSAGES:
            return getattr(_proto, name)
        raise _absent(__name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MESSAGES})


_tell_absent(globals())
