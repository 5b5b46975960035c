"""Sums of linear operators, as operators with as much structure as their terms have in common."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.linear_operator.base import LinearOperator
from ferroflow._src.linear_operator.diag import LinearOperatorDiag
from ferroflow._src.linear_operator.full_matrix import LinearOperatorFullMatrix
from ferroflow._src.linear_operator.identity import LinearOperatorIdentity, LinearOperatorScaledIdentity
from ferroflow._src.linear_operator.lower_triangular import LinearOperatorLowerTriangular
from ferroflow._src.ops.array.making import ones
from ferroflow._src.ops.array.shaping import broadcast_static_shape

_Kinds = tuple[type[LinearOperator], ...]
_IDENTITIES: _Kinds = (LinearOperatorIdentity, LinearOperatorScaledIdentity)
_DIAGONALS: _Kinds = (*_IDENTITIES, LinearOperatorDiag)
_TRIANGLES: _Kinds = (*_DIAGONALS, LinearOperatorLowerTriangular)


@dataclasses.dataclass(frozen=True)
class Adder:
    """Adds two operators of some classes.

    Args:
        kinds: tuple of classes of LinearOperator, which both operators must have.
        add: callable of two operators and the arguments of the sum's constructor.
    """

    kinds: _Kinds
    add: Callable[[Any, Any, dict[str, Any]], LinearOperator]

    def can_add(self, first: LinearOperator, second: LinearOperator) -> bool:
        """Returns True if both operators have one of the classes."""
        return isinstance(first, self.kinds) and isinstance(second, self.kinds)


def _factor(operator: Any) -> Any:
    if isinstance(operator, LinearOperatorScaledIdentity):
        return operator.multiplier
    return ones(operator.batch_shape_tensor(), operator.dtype)


def _scaled_identity(first: Any, second: Any, options: dict[str, Any]) -> LinearOperator:
    factor = _factor(first) + _factor(second)
    return LinearOperatorScaledIdentity(num_rows=first.range_dimension_tensor(), multiplier=factor, **options)


def _diagonal(first: Any, second: Any, options: dict[str, Any]) -> LinearOperator:
    return LinearOperatorDiag(diag=first.diag_part() + second.diag_part(), **options)


def _matrix(first: Any, second: Any) -> Any:
    """Returns the sum's matrix; a diagonal operator adds to the other's matrix alone."""
    diagonal, other = (first, second) if isinstance(first, _DIAGONALS) else (second, first)
    return diagonal.add_to_tensor(other.to_dense())


def _triangle(first: Any, second: Any, options: dict[str, Any]) -> LinearOperator:
    return LinearOperatorLowerTriangular(tril=_matrix(first, second), **options)


def _full(first: Any, second: Any, options: dict[str, Any]) -> LinearOperator:
    return LinearOperatorFullMatrix(matrix=_matrix(first, second), **options)


def return_scaled_identity() -> Adder:
    """Returns the adder of multiples of the identity, whose sum is one."""
    return Adder(_IDENTITIES, _scaled_identity)


def return_diag() -> Adder:
    """Returns the adder of diagonal operators, whose sum is one."""
    return Adder(_DIAGONALS, _diagonal)


def return_triangle() -> Adder:
    """Returns the adder of lower triangular operators, whose sum is one."""
    return Adder(_TRIANGLES, _triangle)


def return_matrix() -> Adder:
    """Returns the adder of any operators, whose sum has a full matrix."""
    return Adder((LinearOperator,), _full)


_TIERS = ((return_scaled_identity(),), (return_diag(),), (return_triangle(),), (return_matrix(),))


def add_operators(
    operators: Iterable[LinearOperator],
    operator_name: str | None = None,
    addition_tiers: Sequence[Sequence[Adder]] | None = None,
    name: str | None = None,
) -> list[LinearOperator]:
    """Adds linear operators, those with the most structure first.

    Args:
        operators: iterable of LinearOperators of one dtype and size, whose batch shapes broadcast.
        operator_name: str, the name of the sums; by default it shows the order of the additions.
        addition_tiers: list of lists of adders, tried in this order. By default, the sum is one operator.
        name: str, name scope of the operations.

    Returns:
        list of LinearOperators, whose sum is that of `operators`.

    Raises:
        ValueError: if there are no operators, or their sizes or batch shapes do not match.
        TypeError: if `operators` is not iterable, or one is no LinearOperator.
    """
    waiting = list(operators)
    if not waiting:
        raise ValueError(f"Argument 'operators' must contain at least one operator.  Found: {waiting}")
    if not all(isinstance(operator, LinearOperator) for operator in waiting):
        raise TypeError(f"Argument 'operators' must contain only LinearOperator instances.  Found: {waiting}")
    _check_shapes(waiting)
    parents = [tensor for operator in waiting for tensor in operator.graph_parents]
    with name_scope(name, "add_operators", parents):
        for tier in _TIERS if addition_tiers is None else addition_tiers:
            waiting = _added_by(tier, waiting, operator_name)
    return waiting


def _added_by(adders: Sequence[Adder], operators: list[LinearOperator], name: str | None) -> list[LinearOperator]:
    left, waiting = list[LinearOperator](), list(operators)
    while waiting:
        first = waiting.pop(0)
        found = ((i, adder) for i, second in enumerate(waiting) for adder in adders if adder.can_add(first, second))
        match = next(found, None)
        if match is None:
            left.append(first)
            continue
        place, adder = match
        waiting.insert(0, _sum(adder, first, waiting.pop(place), name))
    return left


def _sum(adder: Adder, first: LinearOperator, second: LinearOperator, name: str | None) -> LinearOperator:
    if name is None:
        name = f"Add/{first.name}__{second.name}/"
    scope = "scope_" + name if name.startswith("_") else name
    is_definite = first.is_positive_definite and second.is_positive_definite
    options = {
        "is_non_singular": True if is_definite else None,
        "is_self_adjoint": first.is_self_adjoint and second.is_self_adjoint,
        "is_positive_definite": is_definite,
        "name": name,
    }
    with name_scope(scope, values=[*first.graph_parents, *second.graph_parents]):
        return adder.add(first, second, options)


def _check_shapes(operators: Sequence[LinearOperator]) -> None:
    for which in ("domain", "range"):
        sizes = [(op.name, getattr(op, f"{which}_dimension").value) for op in operators]
        if len({size for _, size in sizes if size is not None}) > 1:
            raise ValueError(f"Operators must have the same {which} dimension. Found: {sizes}")
    batch = operators[0].batch_shape
    for operator in operators[1:]:
        batch = broadcast_static_shape(batch, operator.batch_shape)
