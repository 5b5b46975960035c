"""The transport of the engine's communication thread, over real MPI."""

import pytest


@pytest.mark.parametrize("ranks", [2, 3])
def test_bytes_reach_the_other_ranks(run, ranks):
    for found in run("transport_program.py", ranks).reports(ranks):
        assert found["values"] == [ranks * (ranks + 1) / 2] * 3
        assert found["broadcast"] == [True] * ranks
        assert (found["known"], found["unknown"]) == (True, False)
        assert all(found[part] for part in ("ordered", "flushed", "exchanged", "gathered"))
