"""Training by several processes: the model of one process, and the same bits in every run."""

import numpy as np
import pytest


def _mean_losses(reports):
    return np.mean([r["losses"] for r in reports], axis=0)


@pytest.mark.parametrize("kind", ["dense", "sparse", "sparse_as_dense", "passes", "predivided"])
@pytest.mark.parametrize("ranks", [2, 4])
def test_ranks_train_the_model_of_one_process(run, kind, ranks):
    alone = run("training_program.py", 1, kind).reports(1)
    found = run("training_program.py", ranks, kind).reports(ranks)
    np.testing.assert_allclose(_mean_losses(found), _mean_losses(alone), rtol=1e-6, atol=1e-6)
    assert all(r["trained"] == found[0]["trained"] for r in found)
    for ours, theirs in zip(found[0]["values"], alone[0]["values"], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)
    assert {r["steps"] for r in found} == {alone[0]["steps"]} == {4 if kind == "passes" else 8}


def test_every_run_has_the_same_bits(run):
    runs = [run("training_program.py", 4, "dense").reports(4) for _ in range(2)]
    runs.append(run("training_program.py", 4, "dense", HOROVOD_FUSION_THRESHOLD="100").reports(4))
    first = runs[0]
    for other in runs[1:]:
        assert [r["losses"] for r in other] == [r["losses"] for r in first]
        assert [r["trained"] for r in other] == [r["trained"] for r in first]


def test_compressed_gradients_train_nearly_the_same_model(run):
    exact = run("training_program.py", 2, "dense").reports(2)
    rounded = run("training_program.py", 2, "fp16").reports(2)
    np.testing.assert_allclose(_mean_losses(rounded), _mean_losses(exact), rtol=1e-2)
    assert rounded[0]["trained"] == rounded[1]["trained"] != exact[0]["trained"]


@pytest.mark.parametrize("module", ["tf", "keras"])
def test_keras_models_train_with_the_callbacks(run, module):
    alone = run("keras_program.py", 1, module).reports(1)[0]
    found = run("keras_program.py", 2, module).reports(2)
    for rank, r in enumerate(found):
        assert r["weights"] == found[0]["weights"]
        assert r["optimizer"] == "SGD"
        assert (r["value"], r["rows"], r["root"]) == (1.0, [[0, 0], [1, 1]], [1, 7])
        # Averages over the ranks are the same everywhere.
        assert r["history"]["loss"] == found[0]["history"]["loss"], rank
    # Four batches an epoch, two epochs of warmup from the rate of one process; then the rate of two, then a tenth.
    expected = [0.1 / 2 * ((batch + 1) / 4 / 2 + 1) for batch in range(8)] + [0.1] * 4 + [0.01] * 4
    np.testing.assert_allclose(found[0]["rates"], expected, rtol=1e-6)
    np.testing.assert_allclose(alone["rates"], [0.05] * 12 + [0.005] * 4, rtol=1e-6)
    assert found[0]["history"]["loss"][-1] < found[0]["history"]["loss"][0]
