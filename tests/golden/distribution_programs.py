"""Distributions of fixed parameters, and what a step makes of them: samples of equal seeds, densities, statistics."""

from __future__ import annotations

from typing import Any

import numpy as np

# Name of the class: its arguments, values at which it is asked, and probabilities where it has quantiles.
DISTRIBUTIONS: dict[str, tuple[dict[str, Any], Any]] = {
    "Bernoulli": ({"logits": [-1.5, 0.0, 2.0]}, [[0, 1, 1], [1, 0, 0]]),
    "Beta": ({"concentration1": [0.5, 2.0, 5.0], "concentration0": [0.5, 3.0, 1.5]}, [0.1, 0.5, 0.9]),
    "Categorical": ({"logits": [[0.1, 2.0, -1.0], [0.0, 0.0, 3.0]]}, [[0, 2], [1, 1]]),
    "Dirichlet": ({"concentration": [[1.5, 2.0, 3.0], [4.0, 1.2, 2.5]]}, [[0.2, 0.3, 0.5], [0.6, 0.1, 0.3]]),
    "DirichletMultinomial": (
        {"total_count": 4.0, "concentration": [[1.5, 2.0, 3.0], [4.0, 1.2, 2.5]]},
        [[1.0, 1.0, 2.0], [4.0, 0.0, 0.0]],
    ),
    "Exponential": ({"rate": [0.5, 1.0, 4.0]}, [[0.1, 1.0, 2.0], [3.0, 0.5, 0.25]]),
    "Gamma": ({"concentration": [0.5, 1.5, 4.0], "rate": [2.0, 1.0, 0.5]}, [[0.1, 1.0, 2.0], [3.0, 0.5, 8.0]]),
    "Laplace": ({"loc": [0.0, 1.0, -2.0], "scale": [1.0, 0.5, 3.0]}, [[0.5, 1.0, -9.0], [-3.0, 0.0, 20.0]]),
    "Multinomial": ({"total_count": 5.0, "probs": [0.2, 0.3, 0.5]}, [[1.0, 2.0, 2.0], [0.0, 0.0, 5.0]]),
    "Normal": ({"loc": [0.0, 1.0, -2.0], "scale": [1.0, 0.5, 3.0]}, [[0.5, 1.0, -9.0], [-30.0, 0.0, 20.0]]),
    "StudentT": (
        {"df": [1.5, 3.0, 9.0], "loc": [0.0, 1.0, -2.0], "scale": [1.0, 0.5, 3.0]},
        [[0.5, 1.0, -9.0], [-3.0, 0.0, 20.0]],
    ),
    "Uniform": ({"low": [0.0, -1.0, 2.0], "high": [1.0, 1.0, 5.0]}, [[0.5, 1.0, 3.0], [-3.0, 0.0, 5.0]]),
}
_OF_VALUES = ("log_prob", "prob", "cdf", "log_cdf", "survival_function", "log_survival_function")
_STATISTICS = ("mean", "variance", "stddev", "mode", "entropy", "covariance")

# TensorFlow fails at the variance of Student's t, and at counts drawn from Multinomial, of float64.
CASES = [
    f"{name}/{dtype}"
    for name in DISTRIBUTIONS
    for dtype in ("float32", "float64")
    if dtype == "float32" or name not in ("Multinomial", "StudentT")
]


def _arguments(name: str, dtype: str) -> tuple[dict[str, Any], Any]:
    arguments, values = DISTRIBUTIONS[name]
    as_dtype = {key: np.array(value, dtype) for key, value in arguments.items()}
    return as_dtype, np.array(values, np.int32 if name in ("Bernoulli", "Categorical") else dtype)


def describe(tf: Any, case: str) -> dict[str, Any]:
    """Samples, functions of values, statistics, divergence from another one, and text of a distribution."""
    name, dtype = case.split("/")
    arguments, values = _arguments(name, dtype)
    with tf.Graph().as_default():
        tf.set_random_seed(7)
        made = getattr(tf.distributions, name)(**arguments)
        wanted = {"sample": made.sample([2, 4], seed=3), "sample_of_graph_seed": made.sample(3)}
        # TensorFlow's distribution function of Student's t takes parameters of shape [] only.
        for method in _OF_VALUES[:2] if name == "StudentT" else _OF_VALUES:
            try:
                wanted[method] = getattr(made, method)(values)
            except NotImplementedError:
                continue
        for method in _STATISTICS:
            if (name, method) == ("Dirichlet", "mode"):
                continue  # TensorFlow 2 fails at that of a batch
            try:
                wanted[method] = getattr(made, method)()
            except NotImplementedError:
                continue
        if name == "Normal":
            wanted["quantile"] = made.quantile(np.array([[1e-9, 0.01, 0.3], [0.5, 0.9, 0.999]], dtype))
        other = made.copy(**{key: value[..., ::-1] for key, value in arguments.items() if np.ndim(value)})
        try:
            wanted["kl_divergence"] = made.kl_divergence(other)
            wanted["cross_entropy"] = made.cross_entropy(other)
        except NotImplementedError:
            pass
        with tf.Session() as session:
            found = session.run(wanted)
        return {
            "values": {key: np.asarray(value).tolist() for key, value in found.items()},
            "shapes": [made.batch_shape.as_list(), made.event_shape.as_list(), wanted["sample"].shape.as_list()],
            "dtype": made.dtype.name,
            "names": [made.name, wanted["mean"].name.split("/")[0] if "mean" in wanted else ""],
        }
