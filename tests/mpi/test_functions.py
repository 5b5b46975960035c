"""The functions of `horovod.tensorflow` over real MPI, against NumPy."""

import pytest


@pytest.mark.parametrize("ranks", [2, 4])
def test_every_function_gives_numpys_values_on_every_rank(run, ranks):
    for rank, found in enumerate(run("functions_program.py", ranks).reports(ranks)):
        assert not found["wrong"]
        assert found["size"] == ranks
        assert found["numbers"] == [rank, rank, ranks, 0, 1]
        assert found["before"] == "ValueError: Horovod has not been initialized; use hvd.init()."
        assert found["version"] == "0.19.5"
        assert found["threads"] is True
        assert found["enabled"] == [True, True, False, False, True]


def test_mpis_own_sum_and_small_pieces_give_the_same_values_to_rounding(run):
    pieces = run("functions_program.py", 2, FERROFLOW_MPI_PIECE_BYTES="1000", HOROVOD_FUSION_THRESHOLD="500")
    assert all(not found["wrong"] for found in pieces.reports(2))
    # Two numbers have one sum, whatever the order.
    library = run("functions_program.py", 2, FERROFLOW_MPI_SUM="mpi")
    assert all(not found["wrong"] for found in library.reports(2))


def test_a_program_may_use_mpi4py_beside_it(run, tmp_path):
    found = run("mpi4py_program.py", 2).reports(2)
    assert [r["total"] for r in found] == [[3.0] * 4] * 2
    assert [r["reduced"] for r in found] == [1.0] * 2


def test_options_are_checked(run):
    job = run("functions_program.py", 2, FERROFLOW_MPI_SUM="fast")
    assert job.status != 0
    assert "FERROFLOW_MPI_SUM must be 'rank' or 'mpi', found 'fast'" in job.printed
