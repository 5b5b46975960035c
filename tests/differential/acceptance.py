"""`Accepted`: a class of differences, with the reason why it is accepted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from differential.comparison import Difference


class Accepted(NamedTuple):
    """A class of differences.

    Attributes:
        reason: why it is accepted.
        kind: a regular expression of the difference's whole kind.
        about: a regular expression of all that the program is about.
        tensorflow: a regular expression of something that TensorFlow gives.
        ours: the same of what we give.
        where: a regular expression of the difference's place.
        check: what must be true of both besides.
        of_program: what must be true of the program.
        of_difference: what must be true of the program and the difference together.
    """

    reason: str
    kind: str
    about: str = ".*"
    tensorflow: str = ""
    ours: str = ""
    where: str = ""
    check: Callable[[Any, Any], bool] = lambda tensorflow, ours: True
    of_program: Callable[[dict[str, Any]], bool] = lambda program: True
    of_difference: Callable[[dict[str, Any], Difference], bool] = lambda program, difference: True
