"""Exports of an estimator in each mode, and an estimator of such an export, alike on TensorFlow 1.15 and ferroflow."""

import os

import numpy as np

X = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
Y = np.array([[1.0], [3.0], [5.0], [8.0]], np.float32)


def _plain(value):
    if isinstance(value, dict):
        return {str(key): _plain(value[key]) for key in value}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    return value.item() if isinstance(value, np.generic) else value


def _model_fn(tf):
    def model_fn(features, labels, mode):
        weight = tf.get_variable("weight", [], initializer=tf.constant_initializer(0.5))
        predictions = {"y": features["x"] * weight}
        if mode == "infer":
            return tf.estimator.EstimatorSpec(mode, predictions)
        loss = tf.losses.mean_squared_error(labels, predictions["y"])
        step = tf.train.GradientDescentOptimizer(0.01).minimize(loss, tf.train.get_global_step())
        metrics = {"error": tf.metrics.mean_absolute_error(labels, predictions["y"])}
        return tf.estimator.EstimatorSpec(mode, predictions, loss, step, metrics)

    return model_fn


def _exported(tf, folder):
    """Returns an estimator that was trained, and the folder of its export."""
    made = tf.contrib.estimator
    model = tf.estimator.Estimator(_model_fn(tf), os.path.join(folder, "model"))
    model.train(lambda: ({"x": tf.constant(X)}, tf.constant(Y)), steps=3)
    with tf.Graph().as_default():
        features, labels = {"x": tf.placeholder(tf.float32, [4, 1], name="x")}, tf.placeholder(tf.float32, [4, 1], "y")
        supervised = made.build_raw_supervised_input_receiver_fn(features, labels)
        serving = tf.estimator.export.build_raw_serving_input_receiver_fn(features)
    receivers = {"train": supervised, "eval": supervised, "infer": serving}
    return model, made.export_all_saved_models(model, os.path.join(folder, "export"), receivers).decode()


def signatures(tf, folder):
    """Returns the signatures and collections of each graph of an export."""
    _, path = _exported(tf, folder)
    found = {"variables": [list(one) for one in tf.train.list_variables(os.path.join(path, "variables/variables"))]}
    for tag in ("train", "eval", "serve"):
        with tf.Graph().as_default(), tf.Session() as session:
            message = tf.saved_model.loader.load(session, [tag], path)
            found[tag] = {
                key: {
                    "method": signature.method_name,
                    "inputs": {name: info.name for name, info in sorted(signature.inputs.items())},
                    "outputs": sorted(signature.outputs),
                }
                for key, signature in message.signature_def.items()
                if not key.startswith("__")
            }
            train = [op.name for op in tf.get_collection("saved_model_train_op")]
            found[f"{tag} collections"] = train
    return found


def saved_model_estimator(tf, folder):
    """Trains, evaluates and predicts with the export of a trained estimator."""
    model, path = _exported(tf, folder)
    again = tf.contrib.estimator.SavedModelEstimator(path, os.path.join(folder, "again"))

    def inputs():
        return tf.data.Dataset.from_tensors(({"x": X}, {"label": Y})).map(lambda x, y: (x, y["label"]))

    found = {"before": again.evaluate(inputs, steps=1), "original": model.evaluate(inputs, steps=1)}
    again.train(lambda: inputs().repeat(), steps=2)
    model.train(lambda: inputs().repeat(), steps=2)
    found["after"] = again.evaluate(inputs, steps=1)
    found["original after"] = model.evaluate(inputs, steps=1)
    found["weight"] = again.get_variable_value("weight")
    found["predictions"] = [value["y"] for value in again.predict(lambda: tf.data.Dataset.from_tensors({"x": X}))]
    return found


PROGRAMS = {"signatures": signatures, "estimator of a saved model": saved_model_estimator}


def result_of(tf, name, folder):
    """Returns what a program gives, for JSON.

    Args:
        tf: the module, TensorFlow's or ferroflow.
        name: str, of `PROGRAMS`.
        folder: str, an empty folder.
    """
    return _plain(PROGRAMS[name](tf, folder))
