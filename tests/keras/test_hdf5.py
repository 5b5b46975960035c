"""Models are saved to and made of Keras's HDF5 files."""

import importlib
import json
import os
import subprocess
import sys

import numpy as np
import pytest

import ferroflow as tf

keras = tf.keras
layers, models = keras.layers, keras.models
X = np.random.RandomState(0).rand(6, 4).astype(np.float32)


@pytest.fixture(autouse=True)
def own_graph():
    with tf.Graph().as_default():
        yield
        keras.backend.clear_session()


def made():
    start = layers.Input((4,))
    inner = models.Sequential([layers.Dense(3, input_dim=3), layers.BatchNormalization()])
    return models.Model(start, layers.Dense(2, name="end")(inner(layers.Dense(3, activation="relu")(start))))


def texts(names):
    return [name.decode() if isinstance(name, bytes) else str(name) for name in names]


def test_a_model_is_saved_and_loaded(tmp_path):
    h5py = pytest.importorskip("h5py")
    model = made()
    path = tmp_path / "model.h5"
    models.save_model(model, path)
    expected = model.predict(X)
    loaded = models.load_model(path)
    np.testing.assert_allclose(loaded.predict(X), expected, rtol=1e-6)
    for saved, again in zip(model.get_weights(), loaded.get_weights(), strict=True):
        assert saved.tolist() == again.tolist()
    # As Keras has it.
    with h5py.File(path, "r") as file:
        assert json.loads(file.attrs["model_config"])["class_name"] == "Model"
        group = file["model_weights"]
        assert texts(group.attrs["layer_names"]) == [layer.name for layer in model.layers]
        ends = [name.rpartition("/")[2] for name in texts(group["end"].attrs["weight_names"])]
        assert ends == ["kernel:0", "bias:0"]
    with h5py.File(tmp_path / "empty.h5", "w"), pytest.raises(ValueError, match="No model found"):
        models.load_model(tmp_path / "empty.h5")


def test_weights_go_by_order_or_by_name(tmp_path):
    pytest.importorskip("h5py")
    model, path = made(), tmp_path / "weights.h5"
    model.save_weights(str(path))
    other = made()
    other.load_weights(str(path))
    np.testing.assert_allclose(other.predict(X), model.predict(X), rtol=1e-6)
    start = layers.Input((3,))
    named = models.Model(start, layers.Dense(2, name="end")(start))
    with pytest.raises(ValueError, match="3 layers into a model with 1 layers"):
        named.load_weights(str(path))
    named.load_weights(str(path), by_name=True)
    assert named.get_weights()[0].tolist() == model.get_layer("end").get_weights()[0].tolist()
    wide = models.Model(start, layers.Dense(5, name="end")(start))
    with pytest.raises(ValueError, match="has weights of shapes"):
        wide.load_weights(str(path), by_name=True)


def test_without_the_package_it_says_what_to_do(tmp_path, monkeypatch):
    def missing(name):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(ImportError, match="pip install h5py"):
        models.load_model(tmp_path / "model.h5")


def test_models_are_saved_while_they_are_fitted(tmp_path):
    pytest.importorskip("h5py")
    model = models.Sequential([layers.Dense(1, input_dim=4)])
    model.compile("sgd", "mse")
    save = keras.callbacks.ModelCheckpoint(str(tmp_path / "at-{epoch}.h5"), "loss")
    model.fit(X, X[:, :1], epochs=2, verbose=0, callbacks=[save])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["at-1.h5", "at-2.h5"]
    loaded = models.load_model(tmp_path / "at-2.h5")
    np.testing.assert_allclose(loaded.predict(X), model.predict(X), rtol=1e-6)


FULL = """
import os, resource, sys
import numpy as np
import ferroflow as tf

folder, save = sys.argv[1:]
path = os.path.join(folder, "kept.h5")
model = tf.keras.models.Sequential([tf.keras.layers.Dense(30, input_dim=30) for _ in range(4)])
getattr(model, save)(path)
kept = open(path, "rb").read()
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
# A write beyond the limit fails as on a full disk.
for room in [0, 1, 100, 2048, 8192, len(kept) // 2, len(kept) - 4096, len(kept) - 1]:
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    try:
        getattr(model, save)(path)
        sys.exit(f"{room} bytes were enough for a file of {len(kept)}")
    except OSError as full:
        assert "File too large" in str(full), full
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    assert os.listdir(folder) == ["kept.h5"], os.listdir(folder)
    assert open(path, "rb").read() == kept
print("whole")
"""


@pytest.mark.parametrize("save", ["save_weights", "save"])
def test_a_full_disk_leaves_the_old_file(tmp_path, save):
    pytest.importorskip("h5py")
    pytest.importorskip("resource")
    ended = subprocess.run([sys.executable, "-c", FULL, tmp_path, save], capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stdout) == (0, "whole\n"), ended.stderr[-2000:]


def test_a_link_keeps_pointing_to_its_file(tmp_path):
    pytest.importorskip("h5py")
    (tmp_path / "there").mkdir()
    link = tmp_path / "weights.h5"
    link.symlink_to(tmp_path / "there" / "first.h5")
    model = made()
    model.save_weights(str(link))
    assert link.is_symlink()
    assert (tmp_path / "there" / "first.h5").is_file()
    model.load_weights(str(link))


def test_a_device_is_not_replaced():
    pytest.importorskip("h5py")
    made().save_weights("/dev/null")
    assert not os.path.isfile("/dev/null")
