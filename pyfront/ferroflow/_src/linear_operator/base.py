"""`LinearOperator`: the base of all linear operators, and their adjoints and inverses."""

from __future__ import annotations

import abc
import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ferroflow._src.base import tf_logging
from ferroflow._src.base.tensor_shape import Dimension, TensorShape
from ferroflow._src.base.typing import DTypeLike, TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.linear_operator.batch import (
    cholesky_solve_with_broadcast,
    matrix_solve_with_broadcast,
    shape_tensor,
)
from ferroflow._src.ops.array import joining, shaping
from ferroflow._src.ops.flow.checking import assert_equal, assert_less, assert_positive
from ferroflow._src.ops.linalg.decomposing import svd
from ferroflow._src.ops.linalg.determinant import log_matrix_determinant, matrix_determinant
from ferroflow._src.ops.linalg.solving import cholesky
from ferroflow._src.ops.math import elementwise
from ferroflow._src.ops.math.arithmetic import maximum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.linalg import adjoint as adjoint_matrix, eye, matrix_diag_part
from ferroflow._src.ops.math.reduction import reduce_max, reduce_min, reduce_sum


class LinearOperator(abc.ABC):
    """A linear map, or a batch of them, known by its shape and its product with matrices.

    Subclasses define `_shape`, `_shape_tensor` and `_matmul`, and whatever else they can do faster than a dense matrix.
    """

    def __init__(
        self,
        dtype: DTypeLike,
        graph_parents: Sequence[Any] | None = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        """Stores the known properties of an operator.

        Args:
            dtype: DType of its arguments and results.
            graph_parents: Tensors, of any dtype and shape, that it is made of.
            is_non_singular: bool; True if the operator has an inverse; None if unknown, as below.
            is_self_adjoint: bool; True if the operator equals its adjoint.
            is_positive_definite: bool; True if the real part of x* A x is positive for all x but 0.
            is_square: bool; True if the operator has as many rows as columns.
            name: str, its name, and the name scope of its operations; None for that of the class.

        Raises:
            ValueError: if the hints contradict each other, or a graph parent is not a Tensor.
        """
        if is_positive_definite:
            if is_non_singular is False:
                raise ValueError("A positive definite matrix is always non-singular.")
            is_non_singular = True
        for hint, kind in ((is_non_singular, "non-singular"), (is_self_adjoint, "self-adjoint")):
            if hint:
                if is_square is False:
                    raise ValueError(f"A {kind} matrix is always square.")
                is_square = True
        parents = [] if graph_parents is None else list(graph_parents)
        for i, parent in enumerate(parents):
            if not isinstance(parent, Tensor):
                raise ValueError(f"Graph parent item {i} is not a Tensor; {parent}.")
        self._is_square_set_or_implied_by_hints = is_square
        self._dtype = dtype
        self._graph_parents = parents
        self._is_non_singular = is_non_singular
        self._is_self_adjoint = is_self_adjoint
        self._is_positive_definite = is_positive_definite
        self._name = name or type(self).__name__

    @contextlib.contextmanager
    def _name_scope(self, name: str | None = None, values: Sequence[Any] | None = None) -> Iterator[str]:
        parents = [*(values or []), *self._graph_parents]
        with name_scope(self.name if name is None else f"{self.name}/{name}", values=parents) as scope:
            yield scope

    @property
    def dtype(self) -> Any:
        """The DType of its arguments and results."""
        return self._dtype

    @property
    def name(self) -> str:
        """The operator's name."""
        return self._name

    @property
    def graph_parents(self) -> list[Tensor]:
        """The Tensors, of any dtype and shape, that the operator is made of."""
        return self._graph_parents

    @property
    def is_non_singular(self) -> bool | None:
        """True if the operator has an inverse; None if unknown."""
        return self._is_non_singular

    @property
    def is_self_adjoint(self) -> bool | None:
        """True if the operator equals its adjoint; None if unknown."""
        return self._is_self_adjoint

    @property
    def is_positive_definite(self) -> bool | None:
        """True if the operator is positive definite; None if unknown."""
        return self._is_positive_definite

    @property
    def is_square(self) -> bool | None:
        """True if the operator is square; None if unknown.

        Raises:
            ValueError: if the hint and the shape contradict each other.
        """
        found: bool | None = self.domain_dimension == self.range_dimension
        hint = self._is_square_set_or_implied_by_hints
        if hint is False and found:
            raise ValueError("User set is_square hint to False, but the operator was square.")
        return found if hint is None else hint

    # Shapes.

    @abc.abstractmethod
    def _shape(self) -> TensorShape:
        raise NotImplementedError("_shape is not implemented.")

    @abc.abstractmethod
    def _shape_tensor(self) -> Any:
        raise NotImplementedError("_shape_tensor is not implemented.")

    @property
    def shape(self) -> TensorShape:
        """The TensorShape [..., range dimension, domain dimension]."""
        return self._shape()

    def shape_tensor(self, name: str = "shape_tensor") -> Any:
        """Returns the shape as int32 vector."""
        with self._name_scope(name):
            if self.shape.is_fully_defined():
                return shape_tensor(self.shape.as_list())
            return self._shape_tensor()

    @property
    def batch_shape(self) -> TensorShape:
        """The TensorShape of the batch dimensions."""
        return self.shape[:-2]

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Any:
        """Returns the shape of the batch dimensions as int32 vector."""
        with self._name_scope(name):
            if self.batch_shape.is_fully_defined():
                return shape_tensor(self.batch_shape.as_list(), name="batch_shape")
            return self.shape_tensor()[:-2]

    @property
    def tensor_rank(self) -> int | None:
        """The number of dimensions, those of the batch included; None if unknown."""
        return self.shape.ndims

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> Any:
        """Returns the number of dimensions as int32 scalar."""
        with self._name_scope(name):
            if self.tensor_rank is not None:
                return convert_to_tensor(self.tensor_rank)
            return shaping.size(self.shape_tensor())

    @property
    def domain_dimension(self) -> Dimension:
        """The number of columns."""
        return self.shape[-1]

    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> Any:
        """Returns the number of columns as int32 scalar."""
        with self._name_scope(name):
            return self._side_tensor(self.domain_dimension, -1)

    @property
    def range_dimension(self) -> Dimension:
        """The number of rows."""
        return self.shape[-2]

    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> Any:
        """Returns the number of rows as int32 scalar."""
        with self._name_scope(name):
            return self._side_tensor(self.range_dimension, -2)

    def _side_tensor(self, side: Dimension, axis: int) -> Any:
        return self.shape_tensor()[axis] if side.value is None else convert_to_tensor(side.value)

    # Assertions.

    def _warn_slow(self, method: str) -> None:
        tf_logging.warn(
            f"Using (possibly slow) default implementation of {method}.  Requires conversion to a dense matrix."
        )

    def _assert_non_singular(self) -> Operation:
        self._warn_slow("assert_non_singular")
        if self._can_use_cholesky():
            return self.assert_positive_definite()
        values = svd(self.to_dense(), compute_uv=False)
        condition = reduce_max(values, axis=-1) / reduce_min(values, axis=-1)
        message = "Singular matrix up to precision epsilon."
        return assert_less(condition, self._max_condition_number_to_be_non_singular(), message=message)

    def _max_condition_number_to_be_non_singular(self) -> Any:
        with name_scope("max_nonsingular_condition_number"):
            real_dtype = self.dtype.real_dtype
            sides = maximum(self.range_dimension_tensor(), self.domain_dimension_tensor())
            return 1.0 / (maximum(cast(sides, real_dtype), 100.0) * float(np.finfo(real_dtype.as_numpy_dtype).eps))

    def assert_non_singular(self, name: str = "assert_non_singular") -> Operation:
        """Returns an operation that fails in the step where the operator has no inverse."""
        with self._name_scope(name):
            return self._assert_non_singular()

    def _assert_positive_definite(self) -> Operation:
        self._warn_slow("assert_positive_definite")
        if self.is_self_adjoint:
            diagonal = matrix_diag_part(cholesky(self.to_dense()))
            return assert_positive(elementwise.abs(diagonal), message="Matrix was not positive definite.")
        raise NotImplementedError("assert_positive_definite is not implemented.")

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Operation:
        """Returns an operation that fails in the step where the operator is not positive definite."""
        with self._name_scope(name):
            return self._assert_positive_definite()

    def _assert_self_adjoint(self) -> Operation:
        self._warn_slow("assert_self_adjoint")
        dense = self.to_dense()
        return assert_equal(dense, adjoint_matrix(dense), message="Matrix was not equal to its adjoint.")

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Operation:
        """Returns an operation that fails in the step where the operator is not self-adjoint."""
        with self._name_scope(name):
            return self._assert_self_adjoint()

    # Products and solutions.

    def _argument(self, x: Any, name: str) -> Tensor:
        tensor: Tensor = convert_to_tensor(x, name=name)
        self._check_input_dtype(tensor)
        return tensor

    def _check_input_dtype(self, arg: Tensor) -> None:
        if arg.dtype.base_dtype != self.dtype:
            raise TypeError(f"Expected argument to have dtype {self.dtype}.  Found: {arg.dtype} in tensor {arg}")

    def _check_side(self, axis: int, side: Any) -> None:
        self.shape[axis].assert_is_compatible_with(side)

    @abc.abstractmethod
    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        raise NotImplementedError("_matmul is not implemented.")

    def matmul(self, x: TensorLike, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul") -> Any:
        """Multiplies the operator and a matrix.

        Args:
            x: Tensor of the operator's dtype, of shape [..., n, k]; n is the domain dimension.
            adjoint: bool. If True, the adjoint of the operator is used.
            adjoint_arg: bool. If True, the adjoint of `x` is used.
            name: str, name scope of the operations.

        Returns:
            Tensor of the operator's dtype, of shape [..., m, k]; m is the range dimension.

        Raises:
            TypeError: if the dtype of `x` is not that of the operator.
            ValueError: if the dimensions are incompatible.
        """
        with self._name_scope(name, values=[x]):
            x = self._argument(x, "x")
            self._check_side(-2 if adjoint else -1, x.get_shape()[-1 if adjoint_arg else -2])
            return self._matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _matvec(self, x: Tensor, adjoint: bool = False) -> Any:
        return shaping.squeeze(self.matmul(shaping.expand_dims(x, axis=-1), adjoint=adjoint), axis=-1)

    def matvec(self, x: TensorLike, adjoint: bool = False, name: str = "matvec") -> Any:
        """Multiplies the operator and a vector.

        Args:
            x: Tensor of the operator's dtype, of shape [..., n]; n is the domain dimension.
            adjoint: bool. If True, the adjoint of the operator is used.
            name: str, name scope of the operations.

        Returns:
            Tensor of the operator's dtype, of shape [..., m]; m is the range dimension.

        Raises:
            TypeError: if the dtype of `x` is not that of the operator.
            ValueError: if the dimensions are incompatible.
        """
        with self._name_scope(name, values=[x]):
            x = self._argument(x, "x")
            self._check_side(-2 if adjoint else -1, x.get_shape()[-1])
            return self._matvec(x, adjoint=adjoint)

    def _check_solvable(self) -> None:
        if self.is_non_singular is False:
            raise NotImplementedError("Exact solve not implemented for an operator that is expected to be singular.")
        if self.is_square is False:
            raise NotImplementedError("Exact solve not implemented for an operator that is expected to not be square.")

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        self._warn_slow("solve")
        rhs = adjoint_matrix(rhs) if adjoint_arg else rhs
        if self._can_use_cholesky():
            return cholesky_solve_with_broadcast(cholesky(self.to_dense()), rhs)
        return matrix_solve_with_broadcast(self.to_dense(), rhs, adjoint=adjoint)

    def solve(self, rhs: TensorLike, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve") -> Any:
        """Finds the X whose product with the operator is `rhs`.

        Args:
            rhs: Tensor of the operator's dtype, of shape [..., n, k]; n is the operator's side.
            adjoint: bool. If True, the adjoint of the operator is used.
            adjoint_arg: bool. If True, the adjoint of `rhs` is used.
            name: str, name scope of the operations.

        Returns:
            Tensor of the operator's dtype, of shape [..., n, k].

        Raises:
            NotImplementedError: if the operator is known to be singular or not square.
            TypeError: if the dtype of `rhs` is not that of the operator.
            ValueError: if the dimensions are incompatible.
        """
        self._check_solvable()
        with self._name_scope(name, values=[rhs]):
            rhs = self._argument(rhs, "rhs")
            self._check_side(-1 if adjoint else -2, rhs.get_shape()[-1 if adjoint_arg else -2])
            return self._solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs: Tensor, adjoint: bool = False) -> Any:
        return shaping.squeeze(self.solve(shaping.expand_dims(rhs, axis=-1), adjoint=adjoint), axis=-1)

    def solvevec(self, rhs: TensorLike, adjoint: bool = False, name: str = "solve") -> Any:
        """Finds the vector whose product with the operator is `rhs`.

        Args:
            rhs: Tensor of the operator's dtype, of shape [..., n]; n is the operator's side.
            adjoint: bool. If True, the adjoint of the operator is used.
            name: str, name scope of the operations.

        Returns:
            Tensor of the operator's dtype, of shape [..., n].

        Raises:
            NotImplementedError: if the operator is known to be singular or not square.
            TypeError: if the dtype of `rhs` is not that of the operator.
            ValueError: if the dimensions are incompatible.
        """
        self._check_solvable()
        with self._name_scope(name, values=[rhs]):
            rhs = self._argument(rhs, "rhs")
            self._check_side(-1 if adjoint else -2, rhs.get_shape()[-1])
            return self._solvevec(rhs, adjoint=adjoint)

    # Numbers and matrices.

    def _check_has_determinant(self) -> None:
        if self.is_square is False:
            raise NotImplementedError("Determinant not implemented for an operator that is expected to not be square.")

    def _determinant(self) -> Any:
        self._warn_slow("determinant")
        if self._can_use_cholesky():
            return elementwise.exp(self.log_abs_determinant())
        return matrix_determinant(self.to_dense())

    def determinant(self, name: str = "det") -> Any:
        """Returns the determinant, of the shape of the batch.

        Raises:
            NotImplementedError: if the operator is known not to be square.
        """
        self._check_has_determinant()
        with self._name_scope(name):
            return self._determinant()

    def _log_abs_determinant(self) -> Any:
        self._warn_slow("log_abs_determinant")
        if self._can_use_cholesky():
            diagonal = matrix_diag_part(cholesky(self.to_dense()))
            return 2 * reduce_sum(elementwise.log(diagonal), axis=[-1])
        return log_matrix_determinant(self.to_dense())[1]

    def log_abs_determinant(self, name: str = "log_abs_det") -> Any:
        """Returns the logarithm of the absolute value of the determinant, of the shape of the batch.

        Raises:
            NotImplementedError: if the operator is known not to be square.
        """
        self._check_has_determinant()
        with self._name_scope(name):
            return self._log_abs_determinant()

    def _to_dense(self) -> Any:
        self._warn_slow("to_dense")
        is_known = self.batch_shape.is_fully_defined()
        batch = self.batch_shape.as_list() if is_known else self.batch_shape_tensor()
        side = self.domain_dimension.value
        columns = self.domain_dimension_tensor() if side is None else side
        return self.matmul(eye(columns, batch_shape=batch, dtype=self.dtype))

    def to_dense(self, name: str = "to_dense") -> Any:
        """Returns the operator as a matrix."""
        with self._name_scope(name):
            return self._to_dense()

    def _diag_part(self) -> Any:
        return matrix_diag_part(self.to_dense())

    def diag_part(self, name: str = "diag_part") -> Any:
        """Returns the diagonal of the operator's matrix."""
        with self._name_scope(name):
            return self._diag_part()

    def _trace(self) -> Any:
        return reduce_sum(self.diag_part(), axis=-1)

    def trace(self, name: str = "trace") -> Any:
        """Returns the sum of the diagonal of the operator's matrix, of the shape of the batch."""
        with self._name_scope(name):
            return self._trace()

    def _add_to_tensor(self, x: Tensor) -> Any:
        return self.to_dense() + x

    def add_to_tensor(self, x: TensorLike, name: str = "add_to_tensor") -> Any:
        """Adds the operator's matrix to a tensor.

        Args:
            x: Tensor of the operator's dtype, of a shape that broadcasts to the operator's.
            name: str, name scope of the operations.

        Returns:
            Tensor of the operator's dtype and shape.

        Raises:
            TypeError: if the dtype of `x` is not that of the operator.
        """
        with self._name_scope(name, values=[x]):
            return self._add_to_tensor(self._argument(x, "x"))

    def _can_use_cholesky(self) -> bool:
        return bool(not self.dtype.is_complex and self.is_self_adjoint and self.is_positive_definite)

    def adjoint(self, name: str = "adjoint") -> LinearOperator:
        """Returns the operator's adjoint; itself if it is self-adjoint."""
        if self.is_self_adjoint:
            return self
        with self._name_scope(name):
            return LinearOperatorAdjoint(self)

    @property
    def H(self) -> LinearOperator:  # noqa: N802  # TF's spelling
        """The operator's adjoint."""
        return self.adjoint()

    def inverse(self, name: str = "inverse") -> LinearOperator:
        """Returns the operator's inverse.

        Raises:
            ValueError: if the operator is known to be singular or not square.
        """
        if self.is_square is False:
            raise ValueError("Cannot take the Inverse: This operator represents a non square matrix.")
        if self.is_non_singular is False:
            raise ValueError("Cannot take the Inverse: This operator represents a singular matrix.")
        with self._name_scope(name):
            return LinearOperatorInversion(self)


class _OfOne(LinearOperator):
    """An operator made from another operator, with its hints."""

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: bool | None,
        is_self_adjoint: bool | None,
        is_positive_definite: bool | None,
        is_square: bool | None,
        name: str,
    ) -> None:
        def merged(hint: bool | None, own: bool | None, what: str) -> bool | None:
            if hint is not None and own is not None and hint != own:
                raise ValueError(f"operator was {'' if own else 'not '}{what}, but the hint contradicts this.")
            return own if hint is None else hint

        self._operator = operator
        super().__init__(
            dtype=operator.dtype,
            graph_parents=operator.graph_parents,
            is_non_singular=merged(is_non_singular, operator.is_non_singular, "non-singular"),
            is_self_adjoint=merged(is_self_adjoint, operator.is_self_adjoint, "self-adjoint"),
            is_positive_definite=merged(is_positive_definite, operator.is_positive_definite, "positive definite"),
            is_square=merged(is_square, operator.is_square, "square"),
            name=name,
        )

    @property
    def operator(self) -> LinearOperator:
        """The operator that this one is made of."""
        return self._operator

    def _assert_non_singular(self) -> Operation:
        return self.operator.assert_non_singular()

    def _assert_positive_definite(self) -> Operation:
        return self.operator.assert_positive_definite()

    def _assert_self_adjoint(self) -> Operation:
        return self.operator.assert_self_adjoint()


class LinearOperatorAdjoint(_OfOne):
    """The adjoint of an operator."""

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        """Makes the adjoint of an operator.

        Args:
            operator: LinearOperator.
            is_non_singular: bool, as in `LinearOperator`.
            is_self_adjoint: bool, as in `LinearOperator`.
            is_positive_definite: bool, as in `LinearOperator`.
            is_square: bool, as in `LinearOperator`.
            name: str, its name, and the name scope of its operations; None for one made of that of `operator`.

        Raises:
            ValueError: if the hints contradict each other, or the hints of `operator`.
        """
        name = name or operator.name + "_adjoint"
        super().__init__(operator, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name)

    def _shape(self) -> TensorShape:
        shape = self.operator.shape
        return shape if shape.ndims is None else shape[:-2].concatenate([shape[-1], shape[-2]])

    def _shape_tensor(self) -> Any:
        found = self.operator.shape_tensor()
        return joining.concat([found[:-2], shaping.reverse(found[-2:], [0])], 0)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self.operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self.operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _determinant(self) -> Any:
        return elementwise.conj(self.operator.determinant())

    def _log_abs_determinant(self) -> Any:
        return self.operator.log_abs_determinant()

    def _trace(self) -> Any:
        return elementwise.conj(self.operator.trace())

    def _diag_part(self) -> Any:
        return elementwise.conj(self.operator.diag_part())

    def _to_dense(self) -> Any:
        return adjoint_matrix(self.operator.to_dense())


class LinearOperatorInversion(_OfOne):
    """The inverse of an operator."""

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        """Makes the inverse of an operator.

        Args:
            operator: LinearOperator, square and non-singular.
            is_non_singular: bool, as in `LinearOperator`.
            is_self_adjoint: bool, as in `LinearOperator`.
            is_positive_definite: bool, as in `LinearOperator`.
            is_square: bool, as in `LinearOperator`.
            name: str, its name, and the name scope of its operations; None for one made of that of `operator`.

        Raises:
            ValueError: if the operator is known to be singular or not square, or the hints contradict its own.
        """
        if operator.is_square is False:
            raise ValueError(f"operator was a non-square operator and is never invertible: {operator.name}")
        if operator.is_non_singular is False or is_non_singular is False:
            raise ValueError("operator and its inverse are always non-singular.")
        name = name or operator.name + "_inv"
        super().__init__(operator, True, is_self_adjoint, is_positive_definite, is_square, name)

    def _shape(self) -> TensorShape:
        return self.operator.shape

    def _shape_tensor(self) -> Any:
        return self.operator.shape_tensor()

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self.operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self.operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _determinant(self) -> Any:
        return 1.0 / self.operator.determinant()

    def _log_abs_determinant(self) -> Any:
        return -1.0 * self.operator.log_abs_determinant()
