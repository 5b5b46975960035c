"""Differences that are accepted, each with its reason."""

from __future__ import annotations

import re
from typing import Any

from differential.accepted_errors import ERRORS
from differential.accepted_graphs import GRAPHS
from differential.accepted_kernels import KERNELS
from differential.accepted_misuse import MISUSE
from differential.accepted_values import VALUES
from differential.comparison import Difference

ACCEPTED = [*ERRORS, *VALUES, *GRAPHS, *KERNELS, *MISUSE]


def reason(program: dict[str, Any], found: Difference) -> str | None:
    """Returns why a difference is accepted; None if it is not."""
    for entry in ACCEPTED:
        if (
            re.fullmatch(entry.kind, found.kind)
            and re.fullmatch(entry.about, program["about"])
            and re.search(entry.tensorflow, str(found.tensorflow))
            and re.search(entry.ours, str(found.ours))
            and re.search(entry.where, found.where)
            and entry.check(found.tensorflow, found.ours)
            and entry.of_program(program)
            and entry.of_difference(program, found)
        ):
            return entry.reason
    return None
