"""Mixtures of normal distributions, fitted by expectation and maximization; `GMM` is their estimator."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.checkpoint.reader import load_variable
from ferroflow._src.contrib.factorization.center_hook import InitializeClustersHook
from ferroflow._src.contrib.learn.estimator import Estimator
from ferroflow._src.contrib.learn.model_ops import ModelFnOps
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.array.making import fill, identity, zeros
from ferroflow._src.ops.flow.checking import assert_less_equal
from ferroflow._src.ops.flow.grouping import group, no_op, with_dependencies
from ferroflow._src.ops.linalg.solving import cholesky, matrix_triangular_solve
from ferroflow._src.ops.math.arithmetic import add_n
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import exp, log, square
from ferroflow._src.ops.math.linalg import eye, matmul, matrix_diag_part
from ferroflow._src.ops.math.reduction import argmax, reduce_logsumexp, reduce_mean, reduce_sum
from ferroflow._src.ops.nn.embedding import embedding_lookup
from ferroflow._src.ops.random.sampling import random_uniform
from ferroflow._src.ops.state.assigning import assign, assign_add
from ferroflow._src.training.global_step import get_global_step
from ferroflow._src.variables.variable import Variable

__all__ = ["DIAG_COVARIANCE", "FULL_COVARIANCE", "GMM", "GmmAlgorithm", "gmm"]

FULL_COVARIANCE: Final = "full"
DIAG_COVARIANCE: Final = "diag"
# Added to every variance.
_LEAST_VARIANCE: Final = 1e-3
_EPSILON: Final = float(np.finfo(float).eps)


class GmmAlgorithm:
    """Graph of one iteration of expectation and maximization.

    Args:
        data: list of Tensors of float32, of shape [n, d], the points.
        num_classes: int, the number of normal distributions.
        initial_means: Tensor of float32, of shape [num_classes, d]; None for points chosen at random.
        params: str, of the letters "w", "m" and "c": whether weights, means and covariances are fitted.
        covariance_type: "full" or "diag".
        random_seed: int, of the choice of points.

    Raises:
        ValueError: if `covariance_type` is not 'diag' or 'full'.
    """

    CLUSTERS_WEIGHT: Final = "alphas"
    CLUSTERS_VARIABLE: Final = "clusters"
    CLUSTERS_COVS_VARIABLE: Final = "clusters_covs"

    def __init__(
        self,
        data: list[Any],
        num_classes: int,
        initial_means: TensorLike | None = None,
        params: str = "wmc",
        covariance_type: str = FULL_COVARIANCE,
        random_seed: int = 0,
    ) -> None:
        if covariance_type not in (DIAG_COVARIANCE, FULL_COVARIANCE):
            raise ValueError(f"Invalid covariance type: {covariance_type}")
        self._points = [convert_to_tensor(part) for part in data]
        self._count = num_classes
        self._is_full = covariance_type == FULL_COVARIANCE
        empty = zeros([0])
        self._means = Variable(empty, name=self.CLUSTERS_VARIABLE, validate_shape=False)
        self._covariances = Variable(empty, name=self.CLUSTERS_COVS_VARIABLE, validate_shape=False)
        self._weights = Variable(fill([num_classes], 1.0 / num_classes), name=self.CLUSTERS_WEIGHT)
        self._initialized = Variable(False, name="initialized", dtype=dtypes.bool)
        self._init_op = self._initialization(initial_means, random_seed)

        log_joint = [self._log_densities(part) + log(self._weights) for part in self._points]
        # Of shape [n, 1] for each input.
        self._log_marginal = [reduce_logsumexp(each, 1, keepdims=True) for each in log_joint]
        self._shares = [exp(each - whole) for each, whole in zip(log_joint, self._log_marginal, strict=True)]
        self._train_ops = self._maximization(params)

    def init_ops(self) -> Operation:
        """Returns the operation that sets the first means and covariances, once."""
        return self._init_op

    def training_ops(self) -> Operation:
        """Returns the operation of one iteration."""
        return group(*self._train_ops)

    def is_initialized(self) -> Variable:
        """Returns the bool Variable that is True once the first values are set."""
        return self._initialized

    def alphas(self) -> Variable:
        """Returns the weights: a Variable of float32, of shape [num_classes]."""
        return self._weights

    def clusters(self) -> Variable:
        """Returns the means: a Variable of float32, of shape [num_classes, 1, d]."""
        return self._means

    def covariances(self) -> Variable:
        """Returns the covariances: a Variable of float32, of shape [num_classes, d, d], or [num_classes, d]."""
        return self._covariances

    def assignments(self) -> list[Tensor]:
        """Returns the likeliest distribution of each point: a list of Tensors of int64, of shape [n]."""
        return [argmax(shares, 1) for shares in self._shares]

    def scores(self) -> Tensor:
        """Returns the logarithm of each point's density: a Tensor of float32, of shape [n, 1], of all inputs."""
        each = [
            reduce_logsumexp(marginal + log(shares), axis=1, keepdims=True)
            for marginal, shares in zip(self._log_marginal, self._shares, strict=True)
        ]
        result: Tensor = each[0] if len(each) == 1 else concat(each, 0)
        return result

    def log_likelihood_op(self) -> Tensor:
        """Returns the logarithm of the sum of all points' densities: a Tensor of float32, scalar."""
        result: Tensor = reduce_logsumexp([reduce_logsumexp(each) for each in self._log_marginal])
        return result

    def _initialization(self, initial_means: TensorLike | None, seed: int) -> Operation:
        means = _random_points(self._points, self._count, seed) if initial_means is None else initial_means
        first = self._points[0]
        covariance = covariance_of(first, not self._is_full)
        if self._is_full:
            covariance += _LEAST_VARIANCE * _identity_matrix(first)
            covariances = shaping.tile(covariance[None], [self._count, 1, 1])
        else:
            covariances = shaping.tile(covariance + _LEAST_VARIANCE, [self._count, 1])

        def set_values() -> Any:
            values = [
                assign(self._means, shaping.expand_dims(means, 1), validate_shape=False),
                assign(self._covariances, covariances, validate_shape=False),
            ]
            with control_dependencies(values):
                return identity(assign(self._initialized, True))

        result: Operation = cond(self._initialized, lambda: identity(self._initialized), set_values).op
        return result

    def _log_densities(self, points: Any) -> Any:
        """Returns the logarithms of the points' densities, a Tensor of shape [n, num_classes]."""
        size = cast(shaping.shape(points)[1], points.dtype)
        away = points[None] - self._means
        if self._is_full:
            factor = cholesky(self._covariances + _LEAST_VARIANCE * _identity_matrix(points))
            log_determinant = 2.0 * reduce_sum(log(matrix_diag_part(factor)), 1)
            solved = matrix_triangular_solve(factor, shaping.transpose(away, [0, 2, 1]), lower=True)
            distances = shaping.transpose(reduce_sum(square(solved), 1))
        else:
            variances = self._covariances + _LEAST_VARIANCE
            log_determinant = reduce_sum(log(variances), 1)
            distances = shaping.transpose(reduce_sum(square(away) / shaping.expand_dims(variances, 1), 2))
        return -0.5 * (size * math.log(2 * math.pi) + log_determinant + distances)

    def _maximization(self, params: str) -> list[Any]:
        totals = add_n([reduce_sum(shares, 0) for shares in self._shares])
        updates: list[Any] = [no_op()]
        if "w" in params:
            mean_totals = totals / len(self._points)
            updates = [assign(self._weights, mean_totals / (reduce_sum(mean_totals) + _EPSILON))]
        divisor = shaping.reshape(totals, [-1, 1, 1]) + _EPSILON
        both = list(zip(self._shares, self._points, strict=True))
        sums = add_n([matmul(shares, points, transpose_a=True) for shares, points in both])
        means = shaping.expand_dims(sums, 1) / divisor
        if "m" in params:
            means = assign(self._means, means, validate_shape=False)
            updates.append(means)
        else:
            means = identity(self._means)
        if "c" in params:
            moments = add_n([_second_moments(shares, points) for shares, points in both]) / divisor
            covariances = moments - matmul(means, means, transpose_a=True)
            covariances += _LEAST_VARIANCE * _identity_matrix(self._points[0])
            new = covariances if self._is_full else matrix_diag_part(covariances)
            updates.append(assign(self._covariances, new, validate_shape=False))
        return updates


def gmm(
    inp: Any,
    initial_clusters: Any,
    num_clusters: int,
    random_seed: int,
    covariance_type: str = FULL_COVARIANCE,
    params: str = "wmc",
) -> tuple[Any, ...]:
    """Adds the graph that fits a mixture of normal distributions.

    Args:
        inp: Tensor of float32, of shape [n, d], the points; or a list of such Tensors.
        initial_clusters: "random", or an array of shape [num_clusters, d], the first means.
        num_clusters: int.
        random_seed: int, of the choice of the first means.
        covariance_type: "full" or "diag".
        params: str, of the letters "w", "m" and "c": whether weights, means and covariances are fitted.

    Returns:
        Six values. The first is a Tensor of float32, scalar, the logarithm of the sum of all densities.
        The second is a Tensor of float32, of shape [n, 1], the points' scores.
        The third is a list with the list of assignments, Tensors of int64, of shape [n].
        The fourth is the operation that trains, and the fifth sets the first values.
        The sixth is the bool Variable that is True once they are set.

    Raises:
        ValueError: if `covariance_type` is not 'diag' or 'full'.
    """
    is_random = isinstance(initial_clusters, str) and initial_clusters == "random"
    means = None if is_random else convert_to_tensor(initial_clusters, dtypes.float32)
    data = inp if isinstance(inp, list) else [inp]
    fitted = GmmAlgorithm(data, num_clusters, means, params, covariance_type, random_seed)
    return (
        fitted.log_likelihood_op(),
        fitted.scores(),
        [fitted.assignments()],
        fitted.training_ops(),
        fitted.init_ops(),
        fitted.is_initialized(),
    )


class GMM(Estimator):
    """Estimator of a mixture of normal distributions.

    Args:
        num_clusters: int.
        model_dir: str, folder of the checkpoints; None for a new one.
        random_seed: int, of the choice of the first means.
        params: str, of the letters "w", "m" and "c": whether weights, means and covariances are fitted.
        initial_clusters: "random", or an array of shape [num_clusters, d], the first means.
        covariance_type: "full" or "diag".
        config: tf.contrib.learn.RunConfig or None.
    """

    SCORES: Final = "scores"
    LOG_LIKELIHOOD: Final = "loss"
    ASSIGNMENTS: Final = "assignments"

    def __init__(
        self,
        num_clusters: int,
        model_dir: str | None = None,
        random_seed: int = 0,
        params: str = "wmc",
        initial_clusters: Any = "random",
        covariance_type: str = FULL_COVARIANCE,
        config: Any = None,
    ) -> None:
        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> ModelFnOps:
            if labels is not None:
                raise ValueError(f"A GMM has no labels, got {labels}")
            points = features
            if isinstance(features, Mapping):
                points = concat([features[key] for key in sorted(features)], 1)
            loss, scores, assignments, step, init_op, is_initialized = gmm(
                points, initial_clusters, num_clusters, random_seed, covariance_type, params
            )
            total = Variable(0.0, trainable=False, collections=[GraphKeys.LOCAL_VARIABLES])
            return ModelFnOps(
                mode=mode,
                predictions={self.ASSIGNMENTS: assignments[0][0]},
                eval_metric_ops={self.SCORES: scores, self.LOG_LIKELIHOOD: (identity(total), assign_add(total, loss))},
                loss=loss,
                train_op=with_dependencies([step, assign_add(get_global_step(), 1)], loss),
                training_hooks=[InitializeClustersHook(init_op, is_initialized, config.is_chief)],
            )

        super().__init__(model_fn=model_fn, model_dir=model_dir, config=config)

    def predict_assignments(self, input_fn: Any = None, batch_size: int | None = None, outputs: Any = None) -> Any:
        """Yields the likeliest distribution of each point.

        Args:
            input_fn: function that returns the points.
            batch_size: int or None.
            outputs: list of str, names of predictions, or None.

        Yields:
            int64 scalars.
        """
        found: Iterator[Any] = self.predict(input_fn=input_fn, batch_size=batch_size, outputs=outputs)
        for result in found:
            yield result[self.ASSIGNMENTS]

    def score(self, input_fn: Any = None, batch_size: int | None = None, steps: int | None = None) -> float:
        """Returns the logarithm of the sum of all points' densities.

        Args:
            input_fn: function that returns the points.
            batch_size: int or None.
            steps: int, the number of batches; None for all.

        Returns:
            float.
        """
        results = self.evaluate(input_fn=input_fn, batch_size=batch_size, steps=steps)
        return float(np.log(np.sum(np.exp(results[self.SCORES]))))

    def weights(self) -> np.ndarray[Any, Any]:
        """Returns the weights of the latest checkpoint, an array of float32, of shape [num_clusters]."""
        return self._loaded(GmmAlgorithm.CLUSTERS_WEIGHT)

    def clusters(self) -> np.ndarray[Any, Any]:
        """Returns the means of the latest checkpoint, an array of float32, of shape [num_clusters, d]."""
        return np.squeeze(self._loaded(GmmAlgorithm.CLUSTERS_VARIABLE), 1)

    def covariances(self) -> np.ndarray[Any, Any]:
        """Returns the covariances, an array of float32, of shape [num_clusters, d, d] or [num_clusters, d]."""
        return self._loaded(GmmAlgorithm.CLUSTERS_COVS_VARIABLE)

    def _loaded(self, name: str) -> np.ndarray[Any, Any]:
        values: np.ndarray[Any, Any] = load_variable(self.model_dir, name)
        return values


def _random_points(data: list[Any], number: int, seed: int) -> Any:
    total = cast(add_n([shaping.shape(part)[0] for part in data]), dtypes.int64)
    with control_dependencies([assert_less_equal(cast(number, dtypes.int64), total)]):
        indices = random_uniform([number], 0, total, dtypes.int64, seed)
    return embedding_lookup(data, indices, partition_strategy="div")


def covariance_of(x: Any, diag: bool) -> Any:
    """Returns the covariance of examples, divided by their number less one.

    Args:
        x: Tensor of a float dtype, of shape [examples, d].
        diag: bool. If True, only the variances are computed.

    Returns:
        Tensor of that dtype, of shape [d, d], or [1, d] if `diag`.
    """
    centered = x - reduce_mean(x, 0, keepdims=True)
    number = cast(shaping.shape(x)[0], x.dtype) - 1
    if diag:
        return reduce_sum(square(centered), 0, keepdims=True) / number
    return matmul(centered, centered, transpose_a=True) / number


def _identity_matrix(points: Any) -> Any:
    return eye(shaping.shape(points)[1], dtype=points.dtype)


def _second_moments(shares: Any, points: Any) -> Any:
    """Returns the sums of the points' outer products with themselves, weighted for each distribution."""
    weighted = shaping.expand_dims(shaping.transpose(shares), 2) * points[None]
    return matmul(weighted, shaping.tile(points[None], [shaping.shape(shares)[1], 1, 1]), transpose_a=True)
