"""`tensorflow.python.autograph.pyct.transformer`: the base class of programs that rewrite Python's syntax trees."""

from __future__ import annotations

from typing import Any

__all__ = ["Base"]


class Base:
    """Base class of rewriters of syntax trees; libraries derive from it, and objects cannot be made.

    Args:
        *args: ignored.
        **kwargs: ignored.

    Raises:
        NotImplementedError: if an object is made.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            f"{type(self).__name__}: TensorFlow's rewriters of syntax trees are not offered. "
            "Derive from ast.NodeTransformer, or use tf.contrib.autograph.to_graph."
        )
