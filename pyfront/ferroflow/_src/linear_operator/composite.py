"""`LinearOperatorComposition`, `LinearOperatorBlockDiag`, `LinearOperatorKronecker`: operators made of several."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.operation import Operation
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.linear_operator.base import LinearOperator
from ferroflow._src.linear_operator.batch import broadcast_matrix_batch_dims
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.flow.checking import assert_proper_iterable
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.linalg import adjoint as adjoint_matrix

_HINTS = {
    "is_non_singular": "non-singular",
    "is_self_adjoint": "self-adjoint",
    "is_positive_definite": "positive definite",
}


class _OfSeveral(LinearOperator):
    """An operator made from several operators of one dtype."""

    def __init__(
        self,
        operators: Iterable[LinearOperator],
        hints: dict[str, bool | None],
        inherited: dict[str, str],
        name: str | None,
        joint: str,
    ) -> None:
        """Initializes the operator; `inherited` maps each hint to the words for the whole if all parts have it,
        `joint` joins their names.
        """
        assert_proper_iterable(operators)
        self._operators = list(operators)
        if not self._operators:
            raise ValueError(f"Expected a non-empty list of operators. Found: {self._operators}")
        dtype = self._operators[0].dtype
        if any(o.dtype != dtype for o in self._operators):
            found = "   ".join(str((o.name, o.dtype)) for o in self._operators)
            raise TypeError(f"Expected all operators to have the same dtype.  Found {found}")
        for hint, what in inherited.items():
            if all(getattr(o, hint) for o in self._operators):
                if hints[hint] is False:
                    kind = _HINTS[hint]
                    raise ValueError(f"The {what} of {kind} operators is always {kind}.")
                hints[hint] = True
        parents = [parent for o in self._operators for parent in o.graph_parents]
        name = name or joint.join(o.name for o in self._operators)
        with name_scope(name, values=parents):
            super().__init__(dtype=dtype, graph_parents=parents, name=name, **hints)

    @property
    def operators(self) -> list[LinearOperator]:
        """The operators that this one is made of."""
        return self._operators

    @abc.abstractmethod
    def _sides(self) -> tuple[Any, Any]:
        """Returns the range and the domain dimension."""

    @abc.abstractmethod
    def _side_tensors(self) -> tuple[Any, Any]:
        """Returns the same as tensors."""

    def _shape(self) -> TensorShape:
        sides = TensorShape(list(self._sides()))
        return reduce(shaping.broadcast_static_shape, [o.batch_shape for o in self.operators]).concatenate(sides)

    def _shape_tensor(self) -> Any:
        batch = reduce(shaping.broadcast_dynamic_shape, [o.batch_shape_tensor() for o in self.operators])
        return joining.concat((batch, joining.stack(list(self._side_tensors()))), 0)

    def _total(self, each: Callable[[LinearOperator], Any]) -> Any:
        total = each(self.operators[0])
        for o in self.operators[1:]:
            total = total + each(o)
        return total

    def _product(self, each: Callable[[LinearOperator], Any]) -> Any:
        product = each(self.operators[0])
        for o in self.operators[1:]:
            product = product * each(o)
        return product


class LinearOperatorComposition(_OfSeveral):
    """The product of operators: the last is applied first."""

    def __init__(
        self,
        operators: Iterable[LinearOperator],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        """Makes the product of operators.

        Args:
            operators: list of LinearOperators of one dtype, each with as many rows as the one before has columns.
            is_non_singular: bool, as in `LinearOperator`.
            is_self_adjoint: bool, as in `LinearOperator`.
            is_positive_definite: bool, as in `LinearOperator`.
            is_square: bool, as in `LinearOperator`.
            name: str, its name, and the name scope of its operations; None for one made of those of `operators`.

        Raises:
            TypeError: if the dtypes differ.
            ValueError: if there are no operators, or the hints contradict each other.
        """
        hints = {
            "is_non_singular": is_non_singular,
            "is_self_adjoint": is_self_adjoint,
            "is_positive_definite": is_positive_definite,
            "is_square": is_square,
        }
        super().__init__(operators, hints, {"is_non_singular": "composition"}, name, "_o_")

    def _sides(self) -> tuple[Any, Any]:
        for left, right in zip(self.operators, self.operators[1:], strict=False):
            left.domain_dimension.assert_is_compatible_with(right.range_dimension)
        return self.operators[0].range_dimension, self.operators[-1].domain_dimension

    def _side_tensors(self) -> tuple[Any, Any]:
        return self.operators[0].range_dimension_tensor(), self.operators[-1].domain_dimension_tensor()

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        first, *others = self.operators if adjoint else reversed(self.operators)
        result = first.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for o in others:
            result = o.matmul(result, adjoint=adjoint)
        return result

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        first, *others = reversed(self.operators) if adjoint else self.operators
        result = first.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for o in others:
            result = o.solve(result, adjoint=adjoint)
        return result

    def _determinant(self) -> Any:
        return self._product(lambda o: o.determinant())

    def _log_abs_determinant(self) -> Any:
        return self._total(lambda o: o.log_abs_determinant())


class LinearOperatorBlockDiag(_OfSeveral):
    """Square operators as blocks on a diagonal."""

    def __init__(
        self,
        operators: Iterable[LinearOperator],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = None,
    ) -> None:
        """Makes the direct sum of operators.

        Args:
            operators: list of LinearOperators of one dtype, each square.
            is_non_singular: bool, as in `LinearOperator`.
            is_self_adjoint: bool, as in `LinearOperator`.
            is_positive_definite: bool, as in `LinearOperator`.
            is_square: True.
            name: str, its name, and the name scope of its operations; None for one made of those of `operators`.

        Raises:
            TypeError: if the dtypes differ.
            ValueError: if there are no operators, an operator is not known to be square, or the hints contradict each
                other.
        """
        hints = {
            "is_non_singular": is_non_singular,
            "is_self_adjoint": is_self_adjoint,
            "is_positive_definite": is_positive_definite,
            "is_square": True,
        }
        operators = list(operators)
        if not (is_square and all(o.is_square for o in operators)):
            raise ValueError("Can only represent a block diagonal of square matrices.")
        super().__init__(operators, hints, dict.fromkeys(_HINTS, "direct sum"), name, "_ds_")

    def _sides(self) -> tuple[Any, Any]:
        return self._total(lambda o: o.range_dimension), self._total(lambda o: o.domain_dimension)

    def _side_tensors(self) -> tuple[Any, Any]:
        return self._total(lambda o: o.range_dimension_tensor()), self._total(lambda o: o.domain_dimension_tensor())

    def _parts(self, x: Tensor, axis: int) -> list[Any]:
        if all(o.domain_dimension.value is not None for o in self.operators):
            sizes: list[Any] = [o.domain_dimension.value for o in self.operators]
        else:
            sizes = [o.domain_dimension_tensor() for o in self.operators]
        return list(joining.split(x, sizes, axis=axis))

    def _of_parts(self, x: Tensor, adjoint_arg: bool, each: Callable[[LinearOperator, Any], Any]) -> Any:
        parts = self._parts(x, -1 if adjoint_arg else -2)
        results = [each(o, part) for o, part in zip(self.operators, parts, strict=True)]
        return joining.concat(broadcast_matrix_batch_dims(results), axis=-2)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._of_parts(x, adjoint_arg, lambda o, part: o.matmul(part, adjoint=adjoint, adjoint_arg=adjoint_arg))

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._of_parts(rhs, adjoint_arg, lambda o, part: o.solve(part, adjoint=adjoint, adjoint_arg=adjoint_arg))

    def _determinant(self) -> Any:
        return self._product(lambda o: o.determinant())

    def _log_abs_determinant(self) -> Any:
        return self._total(lambda o: o.log_abs_determinant())

    def _trace(self) -> Any:
        return self._total(lambda o: o.trace())

    def _diag_part(self) -> Any:
        columns = broadcast_matrix_batch_dims([shaping.expand_dims(o.diag_part(), -1) for o in self.operators])
        return shaping.squeeze(joining.concat(columns, axis=-2), axis=-1)

    def _to_dense(self) -> Any:
        blocks = broadcast_matrix_batch_dims([o.to_dense() for o in self.operators])
        side = self.domain_dimension_tensor()
        rows = []
        before: Any = 0
        for block in blocks:
            found = shaping.shape(block)
            after = side - before - found[-1]
            row_shape = found[:-1]
            left = making.zeros(joining.concat([row_shape, [before]], 0), dtype=block.dtype.base_dtype)
            right = making.zeros(joining.concat([row_shape, [after]], 0), dtype=block.dtype.base_dtype)
            rows.append(joining.concat([left, block, right], axis=-1))
            before = before + found[-1]
        dense = joining.concat(rows, axis=-2)
        dense.set_shape(self.shape)
        return dense

    def _assert_non_singular(self) -> Operation:
        return group(*[o.assert_non_singular() for o in self.operators])

    def _assert_self_adjoint(self) -> Operation:
        return group(*[o.assert_self_adjoint() for o in self.operators])

    def _assert_positive_definite(self) -> Operation:
        return group(*[o.assert_positive_definite() for o in self.operators])


class LinearOperatorKronecker(_OfSeveral):
    """The Kronecker product of operators: each element of one times the whole of the next."""

    def __init__(
        self,
        operators: Iterable[LinearOperator],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        """Makes the Kronecker product of operators.

        Args:
            operators: list of LinearOperators of one dtype.
            is_non_singular: bool, as in `LinearOperator`.
            is_self_adjoint: bool, as in `LinearOperator`.
            is_positive_definite: bool, as in `LinearOperator`.
            is_square: bool, as in `LinearOperator`.
            name: str, its name, and the name scope of its operations; None for one made of those of `operators`.

        Raises:
            TypeError: if the dtypes differ.
            ValueError: if there are no operators, or the hints contradict each other.
        """
        hints = {
            "is_non_singular": is_non_singular,
            "is_self_adjoint": is_self_adjoint,
            "is_positive_definite": is_positive_definite,
            "is_square": is_square,
        }
        inherited = {
            "is_non_singular": "Kronecker product",
            "is_self_adjoint": "Kronecker product",
            "is_positive_definite": "Kronecker product",
        }
        super().__init__(operators, hints, inherited, name, "_x_")

    def _sides(self) -> tuple[Any, Any]:
        return self._product(lambda o: o.range_dimension), self._product(lambda o: o.domain_dimension)

    def _side_tensors(self) -> tuple[Any, Any]:
        return (
            self._product(lambda o: o.range_dimension_tensor()),
            self._product(lambda o: o.domain_dimension_tensor()),
        )

    def _along_factors(
        self, x: Tensor, of_range: bool, adjoint_arg: bool, each: Callable[[LinearOperator, Any], Any]
    ) -> Any:
        """Applies each operator to the dimension of its own factor; `of_range` selects the side of the argument."""
        x = adjoint_matrix(x) if adjoint_arg else x
        batch = shaping.broadcast_dynamic_shape(shaping.shape(x)[:-2], self.batch_shape_tensor())
        columns = shaping.shape(x)[-1]
        x = x + making.zeros(joining.concat([batch, [1, 1]], 0), dtype=x.dtype.base_dtype)
        for o in reversed(self.operators):
            # The last factor stands innermost; turned to the front after its operator, it makes way for the one before.
            side = o.range_dimension_tensor() if of_range else o.domain_dimension_tensor()
            outer = joining.concat([batch, joining.stack([-1, side, columns])], 0)
            split = shaping.reshape(x, outer)
            others = shaping.shape(split)[-3]
            flat = joining.concat([batch, joining.stack([side, others * columns])], 0)
            turned = shaping.reshape(_swapped(split), flat)
            applied = each(o, turned)
            count = shaping.shape(applied)[-2]
            x = shaping.reshape(applied, joining.concat([batch, joining.stack([count * others, columns])], 0))
        return x

    def _known(self, result: Tensor, x: Tensor, columns: Any, side: Any) -> Tensor:
        if x.get_shape().ndims is not None:
            batch = shaping.broadcast_static_shape(x.get_shape()[:-2], self.batch_shape)
            result.set_shape(batch.concatenate([side, columns]))
        return result

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        result = self._along_factors(x, adjoint, adjoint_arg, lambda o, part: o.matmul(part, adjoint=adjoint))
        columns = x.get_shape()[-2 if adjoint_arg else -1]
        return self._known(result, x, columns, self.domain_dimension if adjoint else self.range_dimension)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        result = self._along_factors(rhs, not adjoint, adjoint_arg, lambda o, part: o.solve(part, adjoint=adjoint))
        columns = rhs.get_shape()[-2 if adjoint_arg else -1]
        return self._known(result, rhs, columns, self.range_dimension if adjoint else self.domain_dimension)

    def _copies(self, o: LinearOperator) -> Any:
        """Returns how often an operator's determinant occurs in that of the product."""
        return cast(self.domain_dimension_tensor() // o.domain_dimension_tensor(), o.dtype)

    def _determinant(self) -> Any:
        return self._product(lambda o: o.determinant() ** self._copies(o))

    def _log_abs_determinant(self) -> Any:
        return self._total(lambda o: o.log_abs_determinant() * self._copies(o))

    def _has_square_factors(self) -> bool:
        return all(o.is_square for o in self.operators)

    def _trace(self) -> Any:
        return self._product(lambda o: o.trace()) if self._has_square_factors() else super()._trace()

    def _pairs(self, products: Callable[[Any, Any], Any], each: Callable[[LinearOperator], Any]) -> Any:
        result = each(self.operators[0])
        for o in self.operators[1:]:
            result = products(result, each(o))
        return result

    def _diag_part(self) -> Any:
        if not self._has_square_factors():
            return super()._diag_part()

        def outer(left: Any, right: Any) -> Any:
            product = shaping.expand_dims(left, -1) * shaping.expand_dims(right, -2)
            found = shaping.shape(product)
            return shaping.reshape(product, joining.concat([found[:-2], [-1]], 0))

        diagonal = self._pairs(outer, lambda o: o.diag_part())
        diagonal.set_shape(self.shape[:-1])
        return diagonal

    def _to_dense(self) -> Any:
        def outer(left: Any, right: Any) -> Any:
            left = shaping.expand_dims(shaping.expand_dims(left, -1), -3)
            right = shaping.expand_dims(shaping.expand_dims(right, -2), -4)
            product = left * right
            found = shaping.shape(product)
            sides = joining.stack([found[-4] * found[-3], found[-2] * found[-1]])
            return shaping.reshape(product, joining.concat([found[:-4], sides], 0))

        dense = self._pairs(outer, lambda o: o.to_dense())
        dense.set_shape(self.shape)
        return dense

    def _assert_non_singular(self) -> Operation:
        if self._has_square_factors():
            return group(*[o.assert_non_singular() for o in self.operators])
        raise ValueError("All Kronecker factors must be square for the product to be invertible.")

    def _assert_self_adjoint(self) -> Operation:
        if self._has_square_factors():
            return group(*[o.assert_self_adjoint() for o in self.operators])
        raise ValueError("All Kronecker factors must be square for the product to be self adjoint.")


def _swapped(x: Tensor) -> Any:
    """Returns the dimensions before the last one exchanged: [..., a, b, c] to [..., b, a, c]."""
    ndims = x.get_shape().ndims
    perm: Any
    if ndims is not None:
        perm = [*range(ndims - 3), ndims - 2, ndims - 3, ndims - 1]
    else:
        rank = shaping.rank(x)
        perm = joining.concat([making.range(rank - 3), joining.stack([rank - 2, rank - 3, rank - 1])], 0)
    return shaping.transpose(x, perm=perm)
