"""Callbacks set rates, call functions, end what went wrong, and write the values of epochs."""

import numpy as np
import pytest

import ferroflow as tf

keras = tf.keras
callbacks = keras.callbacks
X = np.random.RandomState(0).rand(8, 2).astype(np.float32)
Y = X.sum(1, keepdims=True)


@pytest.fixture(autouse=True)
def own_graph():
    with tf.Graph().as_default():
        yield
        keras.backend.clear_session()


def fitted(*used, epochs=3, rate=0.1, x=X, optimizer=None):
    model = keras.Sequential([keras.layers.Dense(1, input_dim=2)])
    model.compile(optimizer or keras.optimizers.SGD(rate), "mse")
    return model, model.fit(x, Y, batch_size=4, epochs=epochs, verbose=0, callbacks=list(used)).history


def test_a_schedule_sets_the_rate_of_each_epoch(capsys):
    _, history = fitted(callbacks.LearningRateScheduler(lambda epoch: 0.1 / (epoch + 1), verbose=1))
    np.testing.assert_allclose(history["lr"], [0.1, 0.05, 0.1 / 3], rtol=1e-6)
    assert "Epoch 00002: LearningRateScheduler reducing learning rate to 0.05." in capsys.readouterr().out
    _, halved = fitted(callbacks.LearningRateScheduler(lambda epoch, rate: rate / 2))
    np.testing.assert_allclose(halved["lr"], [0.05, 0.025, 0.0125], rtol=1e-6)
    with pytest.raises(ValueError, match="should be float"):
        fitted(callbacks.LearningRateScheduler(lambda epoch: "fast"))
    with pytest.raises(ValueError, match='must have a "lr"'):
        fitted(callbacks.LearningRateScheduler(lambda epoch: 0.1), optimizer=tf.train.GradientDescentOptimizer(0.1))


def test_functions_are_called():
    seen = []
    fitted(
        callbacks.LambdaCallback(
            on_train_begin=lambda logs: seen.append("begin"),
            on_epoch_begin=lambda epoch, logs: seen.append(epoch),
            on_batch_end=lambda batch, logs: seen.append(f"batch {batch}"),
            on_train_end=lambda logs: seen.append("end"),
        ),
        epochs=2,
    )
    assert seen == ["begin", 0, "batch 0", "batch 1", 1, "batch 0", "batch 1", "end"]


def test_a_loss_that_is_no_number_ends_the_fitting(capsys):
    x = X.copy()
    x[5] = np.nan
    _, history = fitted(callbacks.TerminateOnNaN(), epochs=5, x=x)
    assert len(history["loss"]) == 1
    assert "Invalid loss, terminating training" in capsys.readouterr().out
    assert len(fitted(callbacks.TerminateOnNaN(), epochs=5)[1]["loss"]) == 5


def test_values_are_written_as_lines(tmp_path):
    path = tmp_path / "log.csv"
    _, history = fitted(callbacks.CSVLogger(str(path), separator=";"), epochs=2)
    head, *lines = path.read_text().splitlines()
    assert head == "epoch;loss"
    assert [float(line.split(";")[1]) for line in lines] == history["loss"]
    fitted(callbacks.CSVLogger(path, separator=";", append=True), epochs=1)
    assert path.read_text().splitlines()[:3] == [head, *lines]
    assert len(path.read_text().splitlines()) == 4
    fitted(callbacks.CSVLogger(path), epochs=1)
    assert path.read_text().splitlines()[0] == "epoch,loss"
    assert len(path.read_text().splitlines()) == 2
