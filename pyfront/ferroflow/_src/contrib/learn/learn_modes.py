"""The modes of models by the names that `tf.contrib.learn` has for them."""

from __future__ import annotations

from typing import Final

from ferroflow._src.estimator import modes


class ModeKeys:
    """Modes in which a model function is called.

    Example:
        >>> print(tf.contrib.learn.ModeKeys.TRAIN, tf.contrib.learn.ModeKeys.EVAL, tf.contrib.learn.ModeKeys.INFER)
        train eval infer
    """

    TRAIN: Final = modes.ModeKeys.TRAIN
    EVAL: Final = modes.ModeKeys.EVAL
    INFER: Final = modes.ModeKeys.PREDICT
