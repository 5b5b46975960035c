"""Reparameterization: samples as a differentiable function of a distribution's parameters."""

from __future__ import annotations


class ReparameterizationType:
    """Dependence of samples on parameters; one of its two instances stands for a differentiable one, the other for
    none.

    Args:
        rep_type: str, its name.
    """

    def __init__(self, rep_type: str) -> None:
        self._rep_type = rep_type

    def __repr__(self) -> str:
        return f"<Reparameteriation Type: {self._rep_type}>"

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


FULLY_REPARAMETERIZED = ReparameterizationType("FULLY_REPARAMETERIZED")
NOT_REPARAMETERIZED = ReparameterizationType("NOT_REPARAMETERIZED")
