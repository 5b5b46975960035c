"""The messages of session bundles by their names."""

from typing import Any

from ferroflow._src.base.proto.manifest import manifest_classes


def __getattr__(name: str) -> Any:
    try:
        return manifest_classes()[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
