"""Differences that are accepted, each with its reason."""

from __future__ import annotations

import re

from differential.accepted_errors import ERRORS
from differential.accepted_graphs import GRAPHS
from differential.accepted_values import VALUES
from differential.comparison import Difference

ACCEPTED = [*ERRORS, *VALUES, *GRAPHS]


def reason(about: str, found: Difference) -> str | None:
    """Why a difference is accepted; None where it is not."""
    for entry in ACCEPTED:
        if (
            re.fullmatch(entry.kind, found.kind)
            and re.fullmatch(entry.about, about)
            and re.search(entry.tensorflow, str(found.tensorflow))
            and re.search(entry.ours, str(found.ours))
            and re.search(entry.where, found.where)
            and entry.check(found.tensorflow, found.ours)
        ):
            return entry.reason
    return None
