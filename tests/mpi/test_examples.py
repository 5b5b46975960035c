"""Programs in the style of Horovod's examples: several processes train the model of one."""

import numpy as np
import pytest


@pytest.mark.parametrize("kind", ["monitored_session", "estimator", "two_graphs"])
def test_two_processes_train_the_model_of_one(run, kind):
    (alone,) = run("examples_program.py", 1, kind).reports(1)
    found = run("examples_program.py", 2, kind).reports(2)
    # Rank 0 evaluates the Estimator.
    losses = found[0]["losses"] if kind == "estimator" else np.mean([r["losses"] for r in found], axis=0)
    np.testing.assert_allclose(losses, alone["losses"], rtol=1e-6, atol=1e-6)
    assert found[0]["values"].keys() == alone["values"].keys()
    for name, value in alone["values"].items():
        np.testing.assert_allclose(found[0]["values"][name], value, rtol=1e-5, atol=2e-6, err_msg=name)
