"""The choice among candidate solutions of a problem with constraints."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def _checked(objective_vector: ArrayLike, constraints_matrix: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
    objectives, constraints = np.asarray(objective_vector), np.asarray(constraints_matrix)
    if constraints.ndim != 2 or objectives.shape != constraints.shape[1:]:
        raise ValueError(
            "objective_vector must have shape (n,), and constraints_matrix (m, n), where n is the number of "
            "candidates, and m is the number of constraints"
        )
    return objectives, constraints


def _linear_programs() -> Any:
    try:
        return importlib.import_module("scipy.optimize")
    except ImportError as error:
        raise ImportError("find_best_candidate_distribution needs the package scipy: pip install scipy") from error


def best_distribution_within(
    objectives: NDArray[Any], constraints: NDArray[Any], maximum_violation: float
) -> NDArray[Any] | None:
    """Returns the distribution with the least expected objective, whose expected constraints are within a bound.

    Args:
        objectives: array of shape [candidates].
        constraints: array of shape [constraints, candidates].
        maximum_violation: float, the bound.

    Returns:
        Array of shape [candidates]; None if no distribution is within the bound.

    Raises:
        ImportError: if SciPy is not installed.
    """
    found = _linear_programs().linprog(
        objectives,
        A_ub=constraints,
        b_ub=np.full(len(constraints), maximum_violation),
        A_eq=np.ones((1, len(objectives))),
        b_eq=np.ones(1),
        bounds=(0, None),
    )
    return np.asarray(found.x) if found.success else None


def find_best_candidate_distribution(
    objective_vector: ArrayLike, constraints_matrix: ArrayLike, epsilon: float = 0.0
) -> NDArray[Any]:
    """Returns the distribution over candidates with the least expected objective among those that violate least.

    Args:
        objective_vector: array of float, of shape [candidates]: the objective of each candidate.
        constraints_matrix: array of float, of shape [constraints, candidates]; a constraint is met if it is at most 0.
        epsilon: float, how exactly the least possible violation is found; at least 0.

    Returns:
        Array of float, of shape [candidates]: probabilities, of which at most one more than constraints are not 0.

    Raises:
        ValueError: if the shapes do not fit together, or `epsilon` is negative.
        ImportError: if SciPy is not installed.

    Source: Cotter, Jiang and Sridharan, Two-Player Games for Efficient Non-Convex Constrained Optimization, 2018.

    Example:
        >>> import numpy as np
        >>> find_best = tf.contrib.constrained_optimization.find_best_candidate_distribution
        >>> print(np.abs(find_best([1.0, 0.0], [[-1.0, 1.0]])).round(3))
        [0.5 0.5]
    """
    if epsilon < 0.0:
        raise ValueError("epsilon must be nonnegative")
    objectives, constraints = _checked(objective_vector, constraints_matrix)
    best = best_distribution_within(objectives, constraints, 0.0)
    if best is not None:
        return best
    # A bound of `above` can be met, by one candidate at first; one of `below` cannot.
    below, above = 0.0, float(np.min(np.amax(constraints, axis=0)))
    best = best_distribution_within(objectives, constraints, above)
    if best is None:
        raise ValueError(f"The solver finds no distribution that violates the constraints by at most {above}.")
    while True:
        middle = 0.5 * (below + above)
        if middle - below <= epsilon or above - middle <= epsilon:
            return best
        found = best_distribution_within(objectives, constraints, middle)
        if found is None:
            below = middle
        else:
            best, above = found, middle


def _ranks(values: NDArray[Any]) -> NDArray[Any]:
    """Returns for each value one more than the number of smaller ones."""
    return np.searchsorted(np.sort(values), values) + 1


def find_best_candidate_index(
    objective_vector: ArrayLike, constraints_matrix: ArrayLike, rank_objectives: bool = False
) -> int:
    """Returns the candidate whose worst rank among all constraints is best; of equal ones, that of least objective.

    Args:
        objective_vector: array of float, of shape [candidates]: the objective of each candidate.
        constraints_matrix: array of float, of shape [constraints, candidates]; a constraint is met if it is at most 0.
        rank_objectives: bool. If True, the rank of the objective counts too.

    Returns:
        int, the number of the candidate.

    Raises:
        ValueError: if the shapes do not fit together.

    Example:
        >>> find_best = tf.contrib.constrained_optimization.find_best_candidate_index
        >>> print(find_best([1.0, 0.0, 3.0], [[-1.0, 1.0, -2.0]]))
        0
    """
    objectives, constraints = _checked(objective_vector, constraints_matrix)
    worst = _ranks(objectives) if rank_objectives else np.zeros(len(objectives), np.int64)
    for violations in np.maximum(0.0, constraints):
        worst = np.maximum(worst, _ranks(violations))
    # Of equal candidates the last one is returned.
    return max(range(len(worst)), key=lambda i: (-worst[i], -objectives[i], i))
