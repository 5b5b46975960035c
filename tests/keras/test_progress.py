"""Models show their progress as TensorFlow 1.15 prints it."""

from __future__ import annotations

import json
import pathlib
import re

import numpy as np
import pytest
from golden.progress_bar_programs import CASES, drawn

import ferroflow as tf
from ferroflow._src.keras import progress_bar

keras = tf.keras
GOLDEN = json.loads((pathlib.Path(__file__).parents[1] / "golden" / "progress_bars.json").read_text(encoding="utf-8"))
X = np.ones((100, 3), np.float32)
Y = np.zeros((100, 1), np.float32)
FULL = "[==============================]"


@pytest.fixture(autouse=True)
def own_graph():
    with tf.Graph().as_default():
        yield
        keras.backend.clear_session()


@pytest.fixture
def model():
    made = keras.Sequential([keras.layers.Dense(1, input_shape=(3,))])
    made.compile("sgd", "mse", metrics=["mae"])
    return made


def _pairs(count=None):
    while True:
        yield X[:10], Y[:10]


def _printed(capsys):
    """What a terminal shows in the end, with times and values left out."""
    lines = []
    for line in capsys.readouterr().out.split("\n"):
        shown = line.rsplit("\r", 1)[-1].rstrip()
        shown = re.sub(r"\d+(us|ms|s)/", "T/", shown)
        lines.append(re.sub(r": -?\d+\.\d{4}(e[+-]\d+)?", ": V", re.sub(r"- \d+s", "- 0s", shown)))
    return lines[:-1]


@pytest.mark.parametrize("case", CASES)
def test_a_bar_is_tensorflows_to_the_character(case):
    assert drawn(keras.utils.Progbar, progress_bar, case) == GOLDEN[case]


METRICS = "loss: V - mean_absolute_error: V"
VALIDATED = f"{METRICS} - val_loss: V - val_mean_absolute_error: V"


def test_fitting_shows_its_epochs_with_what_validates(model, capsys):
    model.fit(X, Y, epochs=2, validation_split=0.2)
    line = f"80/80 {FULL} - 0s T/sample - {VALIDATED}"
    assert _printed(capsys) == ["Train on 80 samples, validate on 20 samples", "Epoch 1/2", line, "Epoch 2/2", line]


def test_one_epoch_has_no_number_and_verbose_2_no_bar(model, capsys):
    model.fit(X, Y)
    assert _printed(capsys) == ["Train on 100 samples", f"100/100 {FULL} - 0s T/sample - {METRICS}"]
    model.fit(X, Y, epochs=2, verbose=2)
    lines = ["Epoch 1/2", f"100/100 - 0s - {METRICS}", "Epoch 2/2", f"100/100 - 0s - {METRICS}"]
    assert _printed(capsys) == ["Train on 100 samples", *lines]
    model.fit(X, Y, verbose=0)
    assert _printed(capsys) == []


def test_steps_are_counted_where_there_are_steps(model, capsys):
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(10).repeat()
    model.fit(data, steps_per_epoch=3, validation_data=data, validation_steps=2)
    assert _printed(capsys) == ["Train on 3 steps, validate on 2 steps", f"3/3 {FULL} - 0s T/step - {VALIDATED}"]
    model.fit_generator(_pairs(), 3)
    assert _printed(capsys) == [f"3/3 {FULL} - 0s T/step - {METRICS}"]


def test_evaluations_show_a_bar_and_predictions_where_asked(model, capsys):
    model.evaluate(X, Y)
    assert _printed(capsys) == [f"100/100 {FULL} - 0s T/sample - {METRICS}"]
    model.evaluate_generator(_pairs(), 3)
    model.predict(X)
    assert _printed(capsys) == []
    model.evaluate_generator(_pairs(), 3, verbose=1)
    model.predict(X, verbose=1)
    model.predict(X, verbose=2)
    model.predict_generator(_pairs(), 3, verbose=1)
    model.predict(tf.data.Dataset.from_tensor_slices(X).batch(10), steps=3, verbose=1)
    assert _printed(capsys) == [
        f"3/3 {FULL} - 0s T/step - {METRICS}",
        f"100/100 {FULL} - 0s T/sample",
        "100/100 - 0s",
        f"3/3 {FULL} - 0s T/step",
        f"3/3 {FULL} - 0s T/step",
    ]


def test_the_last_picture_has_the_means_of_the_epoch(model, capsys):
    x = np.arange(300, dtype=np.float32).reshape(100, 3) / 300
    history = model.fit(x, Y, batch_size=32).history
    last = capsys.readouterr().out.rsplit("\r", 1)[-1]
    assert float(re.search(r"loss: (\S+)", last)[1]) == pytest.approx(history["loss"][0], rel=1e-3, abs=5e-5)


class Told(keras.callbacks.Callback):
    """Takes notes of calls."""

    def __init__(self):
        super().__init__()
        self.calls = []

    def __getattribute__(self, name):
        if name.startswith(("on_test", "on_predict", "on_train_batch")):
            return lambda *args: self.calls.append((name, *(sorted(a) if isinstance(a, dict) else a for a in args)))
        return super().__getattribute__(name)


def test_callbacks_hear_of_evaluations_and_predictions(model):
    told = Told()
    logs = ["batch", "loss", "mean_absolute_error", "size"]
    model.fit(X[:4], Y[:4], verbose=0, callbacks=[told], validation_split=0.5)
    assert [c[:-1] for c in told.calls] == [
        ("on_train_batch_begin", 0),
        ("on_train_batch_end", 0),
        ("on_test_begin",),
        ("on_test_batch_begin", 0),
        ("on_test_batch_end", 0),
        ("on_test_end",),
    ]
    assert told.calls[1][-1] == told.calls[4][-1] == logs
    told.calls.clear()
    model.predict(X[:4], callbacks=[told])
    assert told.calls[2] == ("on_predict_batch_end", 0, ["batch", "outputs", "size"])
    told.calls.clear()
    model.evaluate_generator(_pairs(), 1, callbacks=[told])
    assert told.calls[2] == ("on_test_batch_end", 0, logs)


def test_the_best_weights_come_back(model, capsys):
    kept = []
    keep = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: kept.append(model.get_weights()))
    rise = keras.callbacks.LearningRateScheduler(lambda epoch: 0.0 if epoch == 0 else 10.0)
    stop = keras.callbacks.EarlyStopping("loss", patience=1, verbose=1, restore_best_weights=True)
    model.fit(X, Y, epochs=9, verbose=0, callbacks=[keep, rise, stop])
    np.testing.assert_array_equal(model.get_weights()[0], kept[0][0])
    assert "Restoring model weights from the end of the best epoch." in capsys.readouterr().out
    assert len(kept) < 9


def test_a_checkpoint_says_what_became_better(model, capsys, tmp_path):
    save = keras.callbacks.ModelCheckpoint(str(tmp_path / "w"), "loss", 1, save_best_only=True, save_weights_only=True)
    rates = keras.callbacks.LearningRateScheduler(lambda epoch: 0.01 if epoch == 0 else 100.0)
    losses = model.fit(X, Y, epochs=3, verbose=0, callbacks=[save, rates]).history["loss"]
    words = capsys.readouterr().out
    assert f"\nEpoch 00001: loss improved from inf to {losses[0]:0.5f}, saving model to " in words
    assert f"\nEpoch 00003: loss did not improve from {min(losses[:2]):0.5f}\n" in words


def test_a_logger_counts_what_it_is_to_count(model):
    with pytest.raises(ValueError, match="Unknown `count_mode`: rows"):
        keras.callbacks.ProgbarLogger("rows")
    logger = keras.callbacks.ProgbarLogger("samples")
    model.fit(X, Y, verbose=0, callbacks=[logger])
    assert (logger.seen, logger.target) == (100, 100)


@pytest.mark.parametrize(("frequency", "count"), [(1, 4), (2, 2), ([1, 4], 2)])
def test_epochs_are_validated_as_often_as_said(model, frequency, count):
    history = model.fit(X, Y, epochs=4, verbose=0, validation_split=0.5, validation_freq=frequency, workers=2)
    assert len(history.history["val_loss"]) == count
    assert len(history.history["loss"]) == 4


@pytest.mark.parametrize("verbose", [1, 2])
def test_programs_without_a_standard_output_train(model, verbose, monkeypatch):
    monkeypatch.setattr("sys.stdout", None)
    history = model.fit(X, Y, epochs=2, verbose=verbose)
    keras.utils.Progbar(2).update(2, [("loss", 0.5)])
    assert len(history.history["loss"]) == 2
