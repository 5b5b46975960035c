"""`tf.contrib.tensorboard.plugins.projector`: embeddings in TensorBoard's projector."""

from typing import Any as _Any

from ferroflow._src.base import proto as _proto
from ferroflow._src.summary.projector import visualize_embeddings as visualize_embeddings

_MESSAGES = frozenset(("EmbeddingInfo", "ProjectorConfig", "SpriteMetadata"))


def __getattr__(name: str) -> _Any:
    if name in _MESSAGES:
        return getattr(_proto, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_MESSAGES})
