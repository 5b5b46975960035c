"""Graph-level and op-level seeds of random ops."""

from __future__ import annotations

import numpy as np

from ferroflow._src.framework.default_graph import get_default_graph

DEFAULT_GRAPH_SEED = 87654321
_MAX_SEED = 2**31 - 1


def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """Returns the (seed, seed2) attributes of a random op under the default graph's seed.

    Args:
        op_seed: the op's own seed, or None.

    Returns:
        Two ints in [0, 2**31 - 1), or (None, None) if neither seed is set, and the op is non-deterministic.
        Without an op seed, an op of a seeded graph gets the number of operations before it, as in TensorFlow 1.x.
    """
    graph = get_default_graph()
    if graph.seed is not None:
        if op_seed is None:
            op_seed = graph.operation_count
        seeds = _bounded(graph.seed), _bounded(op_seed)
    elif op_seed is not None:
        seeds = DEFAULT_GRAPH_SEED, _bounded(op_seed)
    else:
        return None, None
    # (0, 0) would mean "not seeded" to the op.
    return (0, _MAX_SEED) if seeds == (0, 0) else seeds


def _bounded(seed: int) -> int:
    # The remainder of one of NumPy's small integers would overflow.
    return (int(seed) if isinstance(seed, np.integer) else seed) % _MAX_SEED


def set_random_seed(seed: int | None) -> None:
    """Sets the default graph's seed; operations created afterwards derive their seeds from it.

    Args:
        seed: any int, or None for non-deterministic ops.

    Example:
        >>> tf.set_random_seed(42)
        >>> x = tf.random_uniform([])
        >>> with tf.Session() as first, tf.Session() as second:
        ...     print(first.run(x) == second.run(x))
        True
    """
    get_default_graph().seed = seed
