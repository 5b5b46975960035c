"""Programs for TPUs that can do without one: the estimator of `tf.contrib.tpu` on the CPU."""

import tempfile

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ferroflow as tf

TRUE = np.array([[1.0], [-2.0], [3.0]], np.float32)


def input_fn(params):
    inputs = np.random.RandomState(0).rand(96, 3).astype(np.float32)
    data = tf.data.Dataset.from_tensor_slices(({"x": inputs}, inputs @ TRUE))
    return data.repeat().batch(params["batch_size"], drop_remainder=True)


def model_fn(features, labels, mode, params):
    sizes.append((mode, params["batch_size"], int(features["x"].shape[0]), params["use_tpu"], params["rate"]))
    weights = tf.get_variable("weights", [3, 1], initializer=tf.zeros_initializer())
    outputs = tf.matmul(features["x"], weights)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.contrib.tpu.TPUEstimatorSpec(mode=mode, predictions={"outputs": outputs})
    loss = tf.losses.mean_squared_error(labels, outputs)

    def metrics(labels, outputs):
        return {"error": tf.metrics.mean_absolute_error(labels, outputs)}

    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.contrib.tpu.TPUEstimatorSpec(mode=mode, loss=loss, eval_metrics=(metrics, [labels, outputs]))
    optimizer = tf.contrib.tpu.CrossShardOptimizer(tf.train.GradientDescentOptimizer(params["rate"]))
    train = optimizer.minimize(loss, tf.train.get_global_step())

    def scaffold():
        made.append("scaffold")
        return tf.train.Scaffold()

    def told(loss):
        return tf.py_func(lambda value: losses.append(float(value)) or np.int32(0), [loss], tf.int32)

    return tf.contrib.tpu.TPUEstimatorSpec(
        mode=mode, loss=loss, train_op=train, scaffold_fn=scaffold, host_call=(told, {"loss": loss})
    )


sizes, made, losses = [], [], []


@pytest.fixture
def estimator(tmp_path):
    for kept in (sizes, made, losses):
        kept.clear()
    config = tf.contrib.tpu.RunConfig(
        cluster=None,
        master=None,
        model_dir=str(tmp_path),
        save_checkpoints_steps=50,
        tpu_config=tf.contrib.tpu.TPUConfig(
            iterations_per_loop=10,
            num_shards=8,
            per_host_input_for_training=tf.contrib.tpu.InputPipelineConfig.PER_HOST_V2,
        ),
    )
    return tf.contrib.tpu.TPUEstimator(
        use_tpu=False,
        model_fn=model_fn,
        config=config,
        params={"rate": 0.5},
        train_batch_size=32,
        eval_batch_size=16,
        predict_batch_size=8,
    )


def test_it_trains_evaluates_and_predicts_with_a_batch_size_for_each(estimator):
    estimator.train(input_fn, max_steps=300)
    found = estimator.evaluate(input_fn, steps=6)
    assert found["error"] < 0.05
    assert found["global_step"] == 300
    first = next(estimator.predict(input_fn))
    assert first["outputs"].shape == (1,)
    assert sizes == [("train", 32, 32, False, 0.5), ("eval", 16, 16, False, 0.5), ("infer", 8, 8, False, 0.5)]
    assert made == ["scaffold"]
    assert len(losses) == 300
    assert losses[-1] < losses[0]


def test_a_plain_spec_will_do(tmp_path):
    def plain(features, labels, mode, params):
        weights = tf.get_variable("weights", [3, 1])
        loss = tf.losses.mean_squared_error(labels, tf.matmul(features["x"], weights))
        step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step)

    config = tf.contrib.tpu.RunConfig(model_dir=str(tmp_path))
    made = tf.contrib.tpu.TPUEstimator(plain, config=config, use_tpu=False, train_batch_size=4)
    made.train(input_fn, steps=2)
    assert made.get_variable_value("global_step") == 2


def test_what_needs_a_tpu_is_refused(tmp_path):
    config = tf.contrib.tpu.RunConfig(model_dir=str(tmp_path))
    with pytest.raises(NotImplementedError, match="use_tpu=False"):
        tf.contrib.tpu.TPUEstimator(model_fn, config=config, train_batch_size=4)
    with pytest.raises(NotImplementedError, match="no TPUs"):
        tf.contrib.tpu.RunConfig(cluster="grpc://10.0.0.1:8470")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"config": tf.estimator.RunConfig()}, "RunConfig"),
        ({"params": {"batch_size": 3}}, "reserved keys"),
        ({"model_fn": lambda features, labels, mode: None}, "params argument"),
        ({"model_fn": None}, "model_fn must be provided"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path, changes, message):
    arguments = {
        "model_fn": model_fn,
        "config": tf.contrib.tpu.RunConfig(model_dir=str(tmp_path)),
        "use_tpu": False,
        "train_batch_size": 4,
        **changes,
    }
    with pytest.raises(ValueError, match=message):
        tf.contrib.tpu.TPUEstimator(**arguments)


@given(st.tuples(*[st.none() | st.integers(-3, 4)] * 3))
@settings(max_examples=8)
def test_functions_get_the_size_of_their_mode_as_it_was_given(sizes):
    seen = []

    def examples(params):
        seen.append(params.get("batch_size"))
        return tf.data.Dataset.from_tensors(tf.ones([1, 1]))

    def model(features, mode, params):
        seen.append(params.get("batch_size"))
        loss = tf.reduce_sum(features * tf.get_variable("weight", [1, 1]))
        step = tf.assign_add(tf.train.get_global_step(), 1)
        return tf.contrib.tpu.TPUEstimatorSpec(mode, {"loss": features}, loss=loss, train_op=step)

    with tempfile.TemporaryDirectory() as folder:
        names = ["train_batch_size", "eval_batch_size", "predict_batch_size"]
        config = tf.contrib.tpu.RunConfig(model_dir=folder)
        made = tf.contrib.tpu.TPUEstimator(model, config=config, use_tpu=False, **dict(zip(names, sizes, strict=True)))
        made.train(examples, steps=1)
        made.evaluate(examples, steps=1)
        next(made.predict(examples))
    assert seen == [size for size in sizes for _ in range(2)]


def test_an_input_function_must_take_the_size_of_the_batch(estimator):
    with pytest.raises(ValueError, match="does not include params argument"):
        estimator.train(lambda: None, steps=1)
