"""Names of graph elements moved into and out of name scopes, as import and export do."""

from __future__ import annotations

import re

from ferroflow._src.base import compat


def prepend_name_scope(name: str, import_scope: str | None) -> str:
    """Returns `name` inside a scope.

    Args:
        name: str, the name of an operation, tensor or scope; `^` and `loc:@` before it stay in front.
        import_scope: str, the scope, with or without a trailing slash; None or "" for none.

    Returns:
        str.
    """
    if not import_scope:
        return name
    prefix, rest = _split(compat.as_str(name))
    return f"{prefix}{import_scope.removesuffix('/')}/{rest}"


def strip_name_scope(name: str, export_scope: str | None) -> str:
    """Returns `name` without a scope that it begins with; any other name as it is.

    Args:
        name: str, the name of an operation, tensor or scope; `^` and `loc:@` before it stay in front.
        export_scope: str, the scope, with or without a trailing slash; None or "" for none.

    Returns:
        str.
    """
    if not export_scope:
        return name
    prefix, rest = _split(compat.as_str(name))
    scope = export_scope.removesuffix("/") + "/"
    return prefix + (rest[len(scope) :].lstrip("/") if rest.startswith(scope) else rest)


def _split(name: str) -> tuple[str, str]:
    marker = re.match(r"\^|loc:@|", name)
    end = marker.end() if marker else 0
    return name[:end], name[end:]
