"""Training under strategies by several processes: the model of one process."""

import numpy as np
import pytest


def _compare(found, alone, rtol=1e-5):
    for report in found:
        np.testing.assert_allclose(report["values"], alone["values"], rtol=rtol, atol=1e-6)
        for name, value in report["weights"].items():
            np.testing.assert_allclose(value, alone["weights"][name], rtol=rtol, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("strategy", ["workers", "contrib"])
@pytest.mark.parametrize("workers", [2, 4])
def test_steps_of_a_program_are_those_of_one_process(run, tmp_path, strategy, workers):
    [alone], _ = run("training_program.py", 1, "custom", "none", str(tmp_path))
    found, _ = run("training_program.py", workers, "custom", strategy, str(tmp_path))
    assert [(r["rank"], r["size"]) for r in found] == [(i, workers) for i in range(workers)]
    _compare(found, alone)
    assert all(r["weights"] == found[0]["weights"] for r in found)


def test_averages_of_batch_normalization_are_equal_in_all_processes(run, tmp_path):
    found, _ = run("training_program.py", 2, "norm", "workers", str(tmp_path))
    assert found[0]["weights"] == found[1]["weights"]
    assert any("moving_mean" in name for name in found[0]["weights"])


def test_monitored_sessions_begin_with_the_first_processs_checkpoint(run, tmp_path):
    [alone], _ = run("training_program.py", 1, "custom", "none", str(tmp_path))
    values = []
    for _ in range(2):
        found, _ = run("training_program.py", 2, "monitored", "workers", str(tmp_path))
        assert found[0]["weights"] == found[1]["weights"]
        values += found[1]["values"]
    np.testing.assert_allclose(values, alone["values"], rtol=1e-5)
    _compare([{**r, "values": values} for r in found], alone)


@pytest.mark.parametrize("way", ["context", "unshared"])
def test_estimators_train_together(run, tmp_path, way):
    found, _ = run("training_program.py", 2, way, "workers", str(tmp_path / "two"))
    assert found[0]["values"] == found[1]["values"]
    assert found[0]["weights"]["global_step"] == [8.0]


@pytest.mark.parametrize("way", ["keras", "keras_graph", "keras_norm"])
def test_keras_models_train_as_in_one_process(run, tmp_path, way):
    found, _ = run("training_program.py", 2, way, "workers", str(tmp_path))
    assert found[0]["values"] == found[1]["values"]
    assert found[0]["weights"] == found[1]["weights"]
    if way != "keras_norm":  # Each replica normalizes by its own batch.
        [alone], _ = run("training_program.py", 1, way, "none", str(tmp_path))
        _compare(found, alone)
