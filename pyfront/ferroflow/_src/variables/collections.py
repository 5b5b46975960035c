"""The variables of the default graph, by collection."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.deprecation import deprecated
from ferroflow._src.framework.default_graph import get_collection
from ferroflow._src.framework.graph_keys import GraphKeys


def global_variables(scope: str | None = None) -> list[Any]:
    """Returns the variables of `GraphKeys.GLOBAL_VARIABLES`: those shared by all tasks and saved by default.

    Args:
        scope: str, a regular expression; only variables whose names it matches from the start are returned.

    Returns:
        A list of `Variable`.

    Example:
        >>> w = tf.get_variable("w", [2])
        >>> step = tf.get_variable("step", [], tf.int32, trainable=False)
        >>> print([v.name for v in tf.global_variables()])
        ['w:0', 'step:0']
    """
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def local_variables(scope: str | None = None) -> list[Any]:
    """Returns the variables of `GraphKeys.LOCAL_VARIABLES`: those of one process, not saved.

    Args:
        scope: str, a regular expression; only variables whose names it matches from the start are returned.

    Returns:
        A list of `Variable`.

    Example:
        >>> mean, update = tf.metrics.mean([1.0, 2.0])
        >>> print([v.name for v in tf.local_variables()])
        ['mean/total:0', 'mean/count:0']
    """
    return get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def trainable_variables(scope: str | None = None) -> list[Any]:
    """Returns the variables of `GraphKeys.TRAINABLE_VARIABLES`: those that optimizers change.

    Args:
        scope: str, a regular expression; only variables whose names it matches from the start are returned.

    Returns:
        A list of `Variable`.

    Example:
        >>> w = tf.get_variable("w", [2, 3])
        >>> step = tf.get_variable("step", [], tf.int32, trainable=False)
        >>> print([v.name for v in tf.trainable_variables()])
        ['w:0']
    """
    return get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def model_variables(scope: str | None = None) -> list[Any]:
    """Returns the variables of `GraphKeys.MODEL_VARIABLES`: those that inference needs.

    Args:
        scope: str, a regular expression; only variables whose names it matches from the start are returned.

    Returns:
        A list of `Variable`.
    """
    return get_collection(GraphKeys.MODEL_VARIABLES, scope)


def moving_average_variables(scope: str | None = None) -> list[Any]:
    """Returns the variables of `GraphKeys.MOVING_AVERAGE_VARIABLES`: those that have averages.

    Args:
        scope: str, a regular expression; only variables whose names it matches from the start are returned.

    Returns:
        A list of `Variable`.
    """
    return get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


@deprecated("tf.global_variables")
def all_variables() -> list[Any]:
    """Deprecated: use `global_variables`.

    Returns:
        A list of `Variable`.
    """
    return global_variables()
