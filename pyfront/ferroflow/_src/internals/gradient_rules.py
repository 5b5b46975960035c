"""`ops._gradient_registry`: the rules of gradients, as programs that change them see them."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Any

from ferroflow._src.framework import gradient_registry


class _Entries(MutableMapping[str, dict[str, Any]]):
    """Rules by op type, each in a dict under "type"; None is the rule of an op without a gradient."""

    def __getitem__(self, op_type: str) -> dict[str, Any]:
        return {"type": gradient_registry.rules()[op_type]}

    def __setitem__(self, op_type: str, entry: dict[str, Any]) -> None:
        gradient_registry.rules()[op_type] = entry["type"]

    def __delitem__(self, op_type: str) -> None:
        del gradient_registry.rules()[op_type]

    def __iter__(self) -> Iterator[str]:
        return iter(gradient_registry.rules())

    def __len__(self) -> int:
        return len(gradient_registry.rules())

    def __copy__(self) -> dict[str, dict[str, Any]]:
        return dict(self)


class GradientRegistry:
    """The registry of gradient rules by op type."""

    def __init__(self) -> None:
        self._entries = _Entries()

    @property
    def _registry(self) -> MutableMapping[str, dict[str, Any]]:
        return self._entries

    @_registry.setter
    def _registry(self, entries: MutableMapping[str, dict[str, Any]]) -> None:
        given = dict(entries)
        self._entries.clear()
        self._entries.update(given)

    def list(self) -> list[str]:
        """Returns the op types that have a rule."""
        return list(self._entries)

    def lookup(self, name: str) -> Any:
        """Returns the rule of an op type.

        Args:
            name: str, the op type.

        Returns:
            Function of an operation and the gradients of its outputs; None if the op passes no gradient.

        Raises:
            LookupError: if the op type has no rule.
        """
        if name not in self._entries:
            raise LookupError(f"gradient registry has no entry for: {name}")
        return self._entries[name]["type"]

    def register(self, candidate: Any, name: str) -> None:
        """Registers the rule of an op type.

        Args:
            candidate: the rule; None for an op that passes no gradient.
            name: str, the op type.

        Raises:
            KeyError: if the op type has a rule already.
        """
        gradient_registry.RegisterGradient(name)(candidate)


GRADIENT_REGISTRY = GradientRegistry()
