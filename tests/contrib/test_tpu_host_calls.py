"""Host calls of TPUEstimatorSpec write summaries with each step."""

import numpy as np

import ferroflow as tf


def test_host_calls_open_the_files_that_they_write(tmp_path):
    folder = str(tmp_path / "host")

    def host(step, loss):
        summary = tf.contrib.summary
        with summary.create_file_writer(folder).as_default(), summary.always_record_summaries():
            summary.scalar("loss", loss[0], step=step[0])
        return summary.all_summary_ops()

    def model_fn(features, labels, mode, params):
        w, step = tf.get_variable("w", []), tf.train.get_global_step()
        loss = tf.reduce_mean(tf.square(w - features["x"]))
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
        tensors = [tf.reshape(step, [1]), tf.reshape(loss, [1])]
        return tf.contrib.tpu.TPUEstimatorSpec(mode, loss=loss, train_op=train, host_call=(host, tensors))

    config = tf.contrib.tpu.RunConfig(model_dir=str(tmp_path / "model"))
    estimator = tf.contrib.tpu.TPUEstimator(model_fn, config=config, use_tpu=False, train_batch_size=2)
    data = {"x": np.ones([8], np.float32)}
    estimator.train(lambda params: tf.data.Dataset.from_tensor_slices(data).repeat().batch(2), steps=3)
    events = [event for file in (tmp_path / "host").iterdir() for event in tf.train.summary_iterator(str(file))]
    assert sum(value.tag == "loss" for event in events for value in event.summary.value) == 3
