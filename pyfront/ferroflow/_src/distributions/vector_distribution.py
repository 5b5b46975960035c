"""`VectorDistribution`: distributions of vectors that add up to a total, and their covariance."""

from __future__ import annotations

from typing import Any

from ferroflow._src.distributions.distribution import Distribution
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.math.linalg import matmul, matrix_set_diag


class VectorDistribution(Distribution):
    """A batch of distributions of vectors; a subclass has a Tensor with the shape of a batch of events."""

    def _shaped_as_batch_of_events(self) -> Any:
        raise NotImplementedError

    def _batch_shape_tensor(self) -> Any:
        return shaping.shape(self._shaped_as_batch_of_events())[:-1]

    def _batch_shape(self) -> Any:
        return self._shaped_as_batch_of_events().get_shape().with_rank_at_least(1)[:-1]

    def _event_shape_tensor(self) -> Any:
        return shaping.shape(self._shaped_as_batch_of_events())[-1:]

    def _event_shape(self) -> Any:
        return self._shaped_as_batch_of_events().get_shape().with_rank_at_least(1)[-1:]

    def _covariance_of(self, x: Any, y: Any) -> Any:
        """Returns a matrix with the variances on the diagonal and `-x[i] * y[j]` beside it."""
        return matrix_set_diag(-matmul(x[..., None], y[..., None, :]), self._variance())
