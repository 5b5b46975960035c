"""The modes of models by the names that `tf.contrib.learn` has for them."""

from __future__ import annotations

from typing import Final

from ferroflow._src.estimator import modes

__all__ = ["ModeKeys"]


class ModeKeys:
    """What a model function is called for."""

    TRAIN: Final = modes.ModeKeys.TRAIN
    EVAL: Final = modes.ModeKeys.EVAL
    INFER: Final = modes.ModeKeys.PREDICT
