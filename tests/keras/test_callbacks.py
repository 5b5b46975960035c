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


def _decaying():
    return keras.optimizers.SGD(keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9))


def test_a_schedule_takes_the_rate_or_the_epoch_alone():
    seen = []

    def of_both(epoch, *rest):
        seen.append(len(rest))
        return 0.5

    def of_epochs(epoch, rate=None):
        return 0.25 if rate is None else rate + "no number"

    fitted(callbacks.LearningRateScheduler(of_both), epochs=1)
    assert seen == [1]
    # As in TensorFlow 1.15: a TypeError of the call with the rate means that the function takes the epoch alone.
    assert fitted(callbacks.LearningRateScheduler(of_epochs), epochs=1)[1]["lr"] == [0.25]


def test_a_rate_that_is_a_schedule_cannot_be_set():
    with pytest.raises(AttributeError, match=r"ExponentialDecay object .* cannot be set, because it is not a variable"):
        fitted(callbacks.LearningRateScheduler(lambda epoch: 0.1), optimizer=_decaying())
    with pytest.raises(TypeError, match="missing 1 required") as found:
        fitted(callbacks.LearningRateScheduler(lambda epoch, rate: 0.1), optimizer=_decaying())
    assert "learning rate is a schedule (ExponentialDecay)" in str(found.value.__context__)
    with pytest.raises(TypeError, match=r"learning rate is a schedule \(ExponentialDecay\)"):
        fitted(callbacks.ReduceLROnPlateau("loss", min_delta=1e9, patience=1), optimizer=_decaying())


def test_a_rate_that_is_a_schedule_may_wait_for_a_plateau():
    decaying = _decaying()
    _, history = fitted(callbacks.ReduceLROnPlateau("loss", patience=9), optimizer=decaying)
    assert history["lr"] == [decaying.lr] * 3


def test_what_is_no_tensor_is_its_own_value():
    assert keras.backend.get_value(0.5) == 0.5
    with pytest.raises(AttributeError, match=r"0\.5 cannot be set"):
        keras.backend.set_value(0.5, 1.0)


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
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    assert head == "epoch;loss"
    assert [float(line.split(";")[1]) for line in lines] == history["loss"]
    fitted(callbacks.CSVLogger(path, separator=";", append=True), epochs=1)
    assert path.read_text(encoding="utf-8").splitlines()[:3] == [head, *lines]
    assert len(path.read_text(encoding="utf-8").splitlines()) == 4
    fitted(callbacks.CSVLogger(path), epochs=1)
    assert path.read_text(encoding="utf-8").splitlines()[0] == "epoch,loss"
    assert len(path.read_text(encoding="utf-8").splitlines()) == 2


@pytest.mark.parametrize(
    "make",
    [
        callbacks.EarlyStopping,
        callbacks.ReduceLROnPlateau,
        lambda name: callbacks.ModelCheckpoint("nowhere", name, save_best_only=True),
    ],
)
def test_a_value_that_is_missing_is_warned_of(make, caplog):
    assert len(fitted(make("val_loss"), epochs=2)[1]["loss"]) == 2
    assert "`val_loss` which is not available" in caplog.text


def test_an_unknown_mode_is_the_automatic_one(caplog):
    assert callbacks.EarlyStopping(mode="up").mode == "auto"
    assert "mode up is unknown, fallback to auto mode" in caplog.text


def test_a_rate_waits_for_its_patience_and_cools_down():
    fall = callbacks.ReduceLROnPlateau("loss", 0.5, patience=1, epsilon=1e9, cooldown=2)
    # As in TensorFlow 1.15: the first epoch is an improvement; the rate falls after the next.
    _, history = fitted(fall, epochs=7)
    np.testing.assert_allclose(history["lr"], [0.1, 0.1, 0.05, 0.05, 0.025, 0.025, 0.0125], rtol=1e-6)
    assert callbacks.ReduceLROnPlateau(min_delta=0.5).min_delta == 0.5


class Looking(callbacks.Callback):
    """Keeps what a callback is told."""

    def on_train_begin(self, logs=None):
        self.seen = self.model.history

    def on_epoch_end(self, epoch, logs=None):
        self.data = self.validation_data


def test_callbacks_know_what_validates_and_how_the_model_is_fitted():
    model = keras.Sequential([keras.layers.Dropout(0.5, input_shape=(2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    look = Looking()
    history = model.fit(X, Y, 4, 1, 0, [look], validation_data=(X[:3], Y[:3]))
    assert history is model.history is look.seen
    inputs, labels, weights, phase = look.data
    np.testing.assert_array_equal(inputs, X[:3])
    np.testing.assert_array_equal(labels, Y[:3])
    np.testing.assert_array_equal(weights, np.ones(3))
    assert phase == 0.0
    expected = {"batch_size": 4, "epochs": 1, "steps": None, "samples": 8, "verbose": 0, "do_validation": True}
    assert look.params == {**expected, "metrics": ["loss", "val_loss"]}
    model.fit(X, Y, verbose=0, callbacks=[look])
    assert look.data == []
    assert (look.params["do_validation"], look.params["batch_size"]) == (False, 32)


def test_what_a_generator_yields_is_not_kept_for_callbacks():
    model = keras.Sequential([keras.layers.Dense(1, input_dim=2)])
    model.compile("sgd", "mse")
    look = Looking()
    forever = iter(lambda: (X, Y), None)
    model.fit_generator(forever, 2, verbose=0, callbacks=[look], validation_data=forever, validation_steps=1)
    assert look.data is None
    assert (look.params["steps"], look.params["do_validation"]) == (2, True)
    model.fit_generator(forever, 2, verbose=0, callbacks=[look], validation_data=(X, Y))
    assert len(look.data) == 3


def test_an_epoch_that_is_left_is_not_validated():
    class Leave(callbacks.Callback):
        def on_batch_end(self, batch, logs=None):
            self.model.stop_training = True

    model = keras.Sequential([keras.layers.Dense(1, input_dim=2)])
    model.compile("sgd", "mse")
    assert "val_loss" not in model.fit(X, Y, 4, 3, 0, [Leave()], validation_data=(X, Y)).history
    assert len(model.fit(X, Y, 8, 3, 0, [Leave()], validation_data=(X, Y)).history["val_loss"]) == 1
    taken = []
    model.fit_generator(iter(lambda: taken.append(1) or (X, Y), None), 3, verbose=0, callbacks=[Leave()])
    assert len(taken) == 1


def board(tmp_path, **kwargs):
    model = keras.Sequential([keras.layers.Dense(3, input_dim=2, name="first"), keras.layers.Dense(1, name="second")])
    model.compile("sgd", "mse")
    watch = callbacks.TensorBoard(str(tmp_path), 1, 5, **kwargs)
    model.fit(X, Y, 5, epochs=2, verbose=0, callbacks=[watch], validation_data=(X, Y))
    (path,) = tmp_path.iterdir()
    return [v for e in tf.train.summary_iterator(str(path)) for v in e.summary.value]


def test_weights_outputs_and_gradients_are_written_as_histograms(tmp_path):
    values = board(tmp_path, write_grads=True, write_images=True)
    histograms = [v for v in values if v.HasField("histo")]
    kinds = {v.tag for v in histograms}
    weights = {f"{layer}/{part}_0" for layer in ("first", "second") for part in ("kernel", "bias")}
    assert kinds >= weights | {f"{name}_grad" for name in weights} | {"first_out", "second_out"}
    assert [v.histo.num for v in histograms if v.tag == "first/kernel_0"] == [6] * 4
    assert [v.histo.num for v in histograms if v.tag == "first_out"] == [15, 9] * 2
    pictures = {v.tag.split("/image")[0]: (v.image.height, v.image.width) for v in values if v.HasField("image")}
    assert sorted(pictures.values()) == [(2, 3), (3, 1), (3, 1)]
    assert {v.tag for v in values if v.HasField("simple_value")} == {"epoch_loss", "epoch_val_loss"}


def test_embeddings_need_examples():
    with pytest.raises(ValueError, match="embeddings_data must be provided"):
        callbacks.TensorBoard(embeddings_freq=1)


def test_early_stopping_returns_the_value_that_it_watches():
    stopping = callbacks.EarlyStopping(monitor="loss")
    assert stopping.get_monitor_value({"loss": 3.0}) == 3.0
    assert stopping.get_monitor_value({"acc": 1.0}) is None
