"""Names of summaries: which characters they may have, the scopes they open, the collections they enter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ferroflow._src.base import tf_logging
from ferroflow._src.framework.default_graph import add_to_collection, name_scope
from ferroflow._src.framework.handles import Tensor

# The characters that name scopes of summaries have no more.
INVALID_SCOPE_CHARACTERS = re.compile(r"[^-_/.A-Za-z0-9]")
_ILLEGAL = re.compile(r"[^-/\w\.]")


def clean_tag(name: str | None) -> str | None:
    """Makes a summary's name one that an operation may have; says so in the log where that changes it.

    Args:
        name: str or None.

    Returns:
        The name with `_` for each illegal character and without leading slashes; None for None.
    """
    if name is None:
        return None
    cleaned = _ILLEGAL.sub("_", name).lstrip("/")
    if cleaned != name:
        tf_logging.info("Summary name %s is illegal; using %s instead.", name, cleaned)
    return cleaned


@contextmanager
def summary_scope(
    name: str | None, family: str | None = None, default_name: str | None = None, values: Sequence[Any] | None = None
) -> Iterator[tuple[str, str]]:
    """Opens the name scope of a summary.

    Args:
        name: str, name of the summary.
        family: str, the group in TensorBoard; it comes first in the tag, before outer scopes.
        default_name: str, name of the scope where `name` is None.
        values: list of what the summary's operation takes, of which the graph is found.

    Yields:
        (tag of the summary, name of its operation).
    """
    name, family = clean_tag(name), clean_tag(family)
    with name_scope(name if family is None else f"{family}/{name}", default_name, values) as scope:
        tag = scope.rstrip("/")
        yield (tag if family is None else f"{family}/{tag}"), scope


def collect(summary: Tensor, collections: Iterable[str] | None, default: Iterable[str]) -> Tensor:
    """Adds a summary to collections of the default graph.

    Args:
        summary: Tensor of string, of shape [].
        collections: list of str, keys; None for `default`.
        default: list of str, keys.

    Returns:
        The summary.
    """
    for key in default if collections is None else collections:
        add_to_collection(key, summary)
    return summary
