"""Names that expressions of parameters can use: random numbers, and those of Python's `math`."""

from __future__ import annotations

import math
import random
from typing import Any

__all__ = ["VOCABULARY", "Lf", "Li", "Nt", "Uf", "Ui"]


def Uf(lo: float = 0.0, hi: float = 1.0) -> float:  # noqa: N802  # TF's spelling
    """Returns a uniformly distributed number.

    Args:
        lo: float, the lower bound.
        hi: float, the upper bound.

    Returns:
        float, the number.
    """
    return random.uniform(lo, hi)


def Ui(lo: int, hi: int) -> int:  # noqa: N802  # TF's spelling
    """Returns a uniformly distributed integer.

    Args:
        lo: int, the least result.
        hi: int, the greatest result.

    Returns:
        int, the number.
    """
    return random.randint(lo, hi)


def Lf(lo: float, hi: float) -> float:  # noqa: N802  # TF's spelling
    """Returns a number whose logarithm is uniformly distributed.

    Args:
        lo: float above 0, the lower bound.
        hi: float, the upper bound.

    Returns:
        float, the number.
    """
    return math.exp(random.uniform(math.log(lo), math.log(hi)))


def Li(lo: int, hi: int) -> int:  # noqa: N802  # TF's spelling
    """Returns an integer whose logarithm is about uniformly distributed.

    Args:
        lo: int above 0, the least result.
        hi: int, the greatest result.

    Returns:
        int, the number.
    """
    return math.floor(Lf(lo, hi + 1 - 1e-5))


def Nt(mu: float, sigma: float, limit: float = 3.0) -> float:  # noqa: N802  # TF's spelling
    """Returns a normally distributed number, clipped to a number of standard deviations around the mean.

    Args:
        mu: float, the mean.
        sigma: float, the standard deviation.
        limit: float, the greatest distance from the mean, in standard deviations.

    Returns:
        float, the number.
    """
    farthest = limit * sigma
    return mu + min(max(random.gauss(mu, sigma) - mu, -farthest), farthest)


VOCABULARY: dict[str, Any] = {name: value for name, value in vars(math).items() if not name.startswith("_")}
VOCABULARY.update({draw.__name__: draw for draw in (Uf, Ui, Lf, Li, Nt)}, math=math, random=random)
