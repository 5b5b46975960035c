"""`tf.distribute.MirroredStrategy` with one replica in each process of an MPI job."""

import numpy as np
import pytest


@pytest.mark.parametrize("ranks", [2, 4])
def test_an_estimator_trains_the_model_of_one_process(run, tmp_path, ranks):
    [alone] = run("strategy_program.py", 1, str(tmp_path / "alone")).reports(1)
    found = run("strategy_program.py", ranks, str(tmp_path / "together")).reports(ranks)
    assert len(alone["losses"]) == 4
    for rank, report in enumerate(found):
        np.testing.assert_allclose(report["losses"], alone["losses"], rtol=1e-5)
        # The first process alone saves checkpoints.
        assert bool(report["saved"]) == report["chief"] == (rank == 0)
        assert report["workers"] == ranks
    np.testing.assert_allclose(found[0]["weights"], alone["weights"], rtol=1e-4, atol=1e-6)
