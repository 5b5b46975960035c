"""`ConstrainedMinimizationProblem`: an objective, and constraints that a solution meets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np


class ConstrainedMinimizationProblem(ABC):
    """Base class of problems: minimize the objective, with no constraint above 0.

    Subclasses define `objective` and `constraints`. Constraints whose gradients are of no use, such as steps, can have
    proxies, which are trained in their place.
    """

    @property
    @abstractmethod
    def objective(self) -> Any:
        """Tensor of a float dtype, of shape []."""

    @property
    def num_constraints(self) -> int:
        """int, the number of constraints.

        Raises:
            ValueError: if the shapes of constraints and proxies are not known, or differ.
        """
        shape = self.constraints.get_shape()
        proxies = self.proxy_constraints
        shape_of_proxies = shape if proxies is None else proxies.get_shape()
        if not (shape.is_fully_defined() and shape_of_proxies.is_fully_defined()):
            raise ValueError("constraints and proxy_constraints must have fully-known shapes")
        if shape.as_list() != shape_of_proxies.as_list():
            raise ValueError("constraints and proxy_constraints must have the same shape")
        return int(np.prod(shape.as_list(), dtype=np.int64))

    @property
    @abstractmethod
    def constraints(self) -> Any:
        """Tensor of the dtype of the objective, of any shape: what may not be above 0."""

    @property
    def proxy_constraints(self) -> Any:
        """Tensor of the shape of `constraints`, which is trained in their place; None for the constraints."""
        return None

    @property
    def pre_train_ops(self) -> Any:
        """List of Operations to run before each step of the training; None for no operations."""
        return None
