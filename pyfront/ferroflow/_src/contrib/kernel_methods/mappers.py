"""Kernel mappers: maps of features after which a linear model approximates one with a kernel."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.math.arithmetic import add
from ferroflow._src.ops.math.elementwise import cos
from ferroflow._src.ops.math.linalg import matmul


class InvalidShapeError(Exception):
    """Error for features of another shape than the mapper expects."""


class DenseKernelMapper(ABC):
    """Base class of maps from dense features to dense features."""

    @abstractmethod
    def map(self, input_tensor: TensorLike) -> Tensor:
        """Returns the mapped features.

        Args:
            input_tensor: float32 Tensor of shape [batch, features].

        Returns:
            float32 Tensor of shape [batch, output_dim].
        """

    @property
    @abstractmethod
    def name(self) -> str:
        """str, the name."""

    @property
    @abstractmethod
    def output_dim(self) -> int:
        """int, the number of mapped features."""


class RandomFourierFeatureMapper(DenseKernelMapper):
    """Map by cosines of random frequencies, whose products approximate a Gaussian kernel.

    Computes `sqrt(2 / output_dim) * cos(x @ frequencies + phases)`.

    Args:
        input_dim: int, the number of features.
        output_dim: int, the number of mapped features.
        stddev: float, the standard deviation of the kernel.
        seed: int, the seed of the frequencies and phases.
        name: str, the name; None for the object's id.

    Source: Rahimi and Recht, Random Features for Large-Scale Kernel Machines, 2007.

    Example:
        >>> mapper = tf.contrib.kernel_methods.RandomFourierFeatureMapper(2, 5000, stddev=2.0, seed=3)
        >>> mapped = mapper.map(tf.constant([[1.0, 0.0], [0.0, 1.0]]))
        >>> kernel = sess.run(tf.matmul(mapped, mapped, transpose_b=True))
        >>> print(abs(kernel[0, 1] - 2.71828 ** -0.25) < 0.05)
        True
    """

    def __init__(
        self, input_dim: int, output_dim: int, stddev: float = 1.0, seed: int = 1, name: str | None = None
    ) -> None:
        self._input_dim = input_dim
        self._output_dim = output_dim
        self._stddev = stddev
        self._seed = seed
        self._name = name

    @property
    def name(self) -> str:
        """str, the name, or the object's id."""
        return self._name or str(id(self))

    @property
    def input_dim(self) -> int:
        """int, the number of features."""
        return self._input_dim

    @property
    def output_dim(self) -> int:
        """int, the number of mapped features."""
        return self._output_dim

    def map(self, input_tensor: TensorLike) -> Tensor:
        """Returns the mapped features.

        Args:
            input_tensor: float32 Tensor of shape [batch, input_dim].

        Returns:
            float32 Tensor of shape [batch, output_dim].

        Raises:
            InvalidShapeError: if the features have another shape.
        """
        features: Any = convert_to_tensor(input_tensor)
        shape = features.get_shape()
        if shape.ndims != 2:
            raise InvalidShapeError(f"The shape of the tensor should be 2. Got {shape.ndims} instead.")
        if shape[1].value != self._input_dim:
            raise InvalidShapeError(
                f"Invalid dimension: expected {self._input_dim} input features, got {shape[1].value} instead."
            )
        draws = np.random.RandomState(self._seed)
        frequencies = draws.normal(scale=1.0 / self._stddev, size=[self._input_dim, self._output_dim])
        phases = draws.uniform(low=0.0, high=2 * np.pi, size=[self._output_dim])
        weights = constant(frequencies, dtype=dtypes.float32)
        shift = constant(phases, dtype=dtypes.float32)
        mapped: Any = cos(add(matmul(features, weights), shift))
        scaled: Tensor = math.sqrt(2.0 / self._output_dim) * mapped
        return scaled
