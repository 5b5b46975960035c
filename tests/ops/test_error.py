"""Every op refuses what it cannot take when the graph is built, with TF's kind of exception and message."""

from __future__ import annotations

import pytest
from ops.cases.catalog import RECORDS
from ops.cases.record import Refused

from ferroflow._src.framework.graph import Graph
from ferroflow._src.ops import operators

assert operators

_CASES = [
    pytest.param(refused, id=f"{record.name}-{i}-{j}")
    for i, record in enumerate(RECORDS)
    for j, refused in enumerate(record.refused)
]


@pytest.mark.parametrize("refused", _CASES)
def test_refuses(refused: Refused) -> None:
    with Graph().as_default(), pytest.raises(refused.error, match=refused.message):
        refused.call()
