"""Points on circles and spirals, a class for each curve."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ferroflow._src.base.deprecation import warn_deprecated
from ferroflow._src.contrib.learn.csv_tables import Dataset

__all__ = ["SYNTHETIC", "circles", "make_dataset", "spirals"]

_Array = np.ndarray[Any, Any]


def _shuffled(points: list[_Array], classes: list[_Array], n_samples: int, noise: float | None) -> Dataset:
    """Returns the points in random order, with normal noise of that scale."""
    data, target = np.concatenate(points, axis=1).T, np.concatenate(classes)
    order = np.random.permutation(range(n_samples))
    if noise is not None:
        data = data + np.random.normal(scale=noise, size=data.shape)
    return Dataset(data=data[order], target=target[order])


def circles(
    n_samples: int = 100,
    noise: float | None = None,
    seed: int | None = None,
    factor: float = 0.8,
    n_classes: int = 2,
    *args: Any,
    **kwargs: Any,
) -> Dataset:
    """Returns points on circles around the origin, of which each is smaller than the one before.

    Args:
        n_samples: int, the number of points.
        noise: float, the standard deviation of noise, or None.
        seed: int, for NumPy's random state; None to leave it.
        factor: float, the ratio of two radii.
        n_classes: int, the number of circles.
        *args: ignored.
        **kwargs: ignored.

    Returns:
        Dataset of float64 [n_samples, 2] and int32 [n_samples].
    """
    warn_deprecated("tf.contrib.learn.datasets.synthetic.circles", "the datasets of scikit-learn")
    del args, kwargs
    if seed is not None:
        np.random.seed(seed)
    each, rest = divmod(n_samples, n_classes)
    angles = np.linspace(0, 2 * np.pi, each)
    circle = np.stack([np.cos(angles), np.sin(angles)])
    points = [circle * factor**label for label in range(n_classes)]
    classes = [np.full(each, label, np.int32) for label in range(n_classes)]
    points.append(np.stack([np.cos(np.random.rand(rest) * 2 * np.pi), np.sin(np.random.rand(rest) * 2 * np.pi)]))
    classes.append(np.zeros(rest, np.int32))
    return _shuffled(points, classes, n_samples, noise)


# The radius at an angle, by the name of the spiral.
_RADII: dict[str, Callable[[_Array, float], _Array]] = {
    "archimedes": lambda angles, exp_scale: angles,
    "bernoulli": lambda angles, exp_scale: np.exp(exp_scale * angles),
    "fermat": lambda angles, exp_scale: np.sqrt(angles),
}


def _spiral(radii: _Array, angles: _Array, offset: float) -> _Array:
    """Returns points whose greatest coordinates are 1."""
    points = np.stack([radii * np.cos(angles + offset), radii * np.sin(angles + offset)])
    scaled: _Array = points / np.abs(points).max(axis=1, keepdims=True)
    return scaled


def spirals(
    n_samples: int = 100,
    noise: float | None = None,
    seed: int | None = None,
    mode: str | None = "archimedes",
    n_loops: int = 2,
    *args: Any,
    **kwargs: Any,
) -> Dataset:
    """Returns points on two spirals.

    Args:
        n_samples: int, the number of points.
        noise: float, the standard deviation of noise, or None.
        seed: int, for NumPy's random state; None to leave it.
        mode: str, "archimedes", "bernoulli" or "fermat".
        n_loops: int, how often the spirals go around the origin.
        *args: ignored.
        **kwargs: `exp_scale`, float, by which spirals of the mode "bernoulli" grow; 0.1 by default.

    Returns:
        Dataset of float64 [n_samples, 2] and int32 [n_samples].

    Raises:
        ValueError: if `mode` is none of these.
    """
    warn_deprecated("tf.contrib.learn.datasets.synthetic.spirals", "the datasets of scikit-learn")
    del args
    if mode not in _RADII:
        raise ValueError(f"Cannot generate spiral with mode {mode}")
    if seed is not None:
        np.random.seed(seed)
    scale = kwargs.get("exp_scale", 0.1)
    each, rest = divmod(n_samples, 2)
    angles = np.linspace(0, 2 * n_loops * np.pi, each)
    points = [_spiral(_RADII[mode](angles, scale), angles, label * np.pi) for label in range(2)]
    classes = [np.full(each, label, np.int32) for label in range(2)]
    if rest:
        extra = np.random.rand(rest) * 2 * np.pi
        points.append(_spiral(_RADII[mode](extra, scale), extra, 0.0))
        classes.append(np.zeros(rest, np.int32))
    return _shuffled(points, classes, n_samples, noise)


SYNTHETIC: dict[str, Callable[..., Dataset]] = {"circles": circles, "spirals": spirals}


def make_dataset(
    name: str, n_samples: int = 100, noise: float | None = None, seed: int = 42, *args: Any, **kwargs: Any
) -> Dataset:
    """Returns points on curves.

    Args:
        name: str, "circles" or "spirals".
        n_samples: int, the number of points.
        noise: float, the standard deviation of noise, or None.
        seed: int, for NumPy's random state.
        *args: ignored.
        **kwargs: other arguments of that function.

    Returns:
        Dataset.

    Raises:
        ValueError: if there are no curves of that name.
    """
    warn_deprecated("tf.contrib.learn.datasets.make_dataset", "tf.data")
    del args
    if name not in SYNTHETIC:
        raise ValueError(f"Synthetic dataset not found or not implemeted: {name}")
    return SYNTHETIC[name](n_samples=n_samples, noise=noise, seed=seed, **kwargs)
