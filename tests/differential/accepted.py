"""Differences that are accepted, each with its reason."""

from __future__ import annotations

import re
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
        check: what must be true of both besides.
    """

    reason: str
    kind: str
    about: str = ".*"
    tensorflow: str = ""
    ours: str = ""
    check: Callable[[Any, Any], bool] = lambda tensorflow, ours: True


def _knows_more(tensorflow: list[int | None] | None, ours: list[int | None] | None) -> bool:
    """Whether our static shape is TensorFlow's with more dimensions known."""
    if tensorflow is None or ours is None:
        return ours is not None
    return len(tensorflow) == len(ours) and all(a is None or a == b for a, b in zip(tensorflow, ours, strict=True))


ACCEPTED = [
    Accepted("more is known of a shape here", "static shape", check=_knows_more),
    Accepted(
        "kernels here take more types than TensorFlow's",
        "error",
        tensorflow="No OpKernel was registered|mixed precision is disallowed|Unhandled input data type",
    ),
    Accepted(
        "these ops were removed from TensorFlow's graphs, and old GraphDefs have them",
        "build error",
        tensorflow="is not available in GraphDef version",
    ),
    Accepted(
        "which element of an infinite or NaN spectrum is NaN depends on the order of the additions",
        "value",
        about=".*FFT.*",
        tensorflow="nan|inf",
    ),
    Accepted(
        "operators write the ops of TensorFlow 1.8, which every 1.x loads",
        "name",
        tensorflow=r"^(\S+) \((AddV2|BatchMatMulV2)\)$",
        ours=r"\((Add|BatchMatMul)\)$",
        check=lambda tensorflow, ours: tensorflow.split()[0] == ours.split()[0],
    ),
    Accepted(
        "the gradient of a loop is one loop here, with other nodes", "name", tensorflow="^gradients", ours="while_grad"
    ),
    Accepted(
        "TensorFlow's kernel lacks what pooling along depth does here", "error", tensorflow="on the depth dimension"
    ),
]


def reason(about: str, found: Difference) -> str | None:
    """Why a difference is accepted; None where it is not."""
    for entry in ACCEPTED:
        if (
            re.fullmatch(entry.kind, found.kind)
            and re.fullmatch(entry.about, about)
            and re.search(entry.tensorflow, str(found.tensorflow))
            and re.search(entry.ours, str(found.ours))
            and entry.check(found.tensorflow, found.ours)
        ):
            return entry.reason
    return None
