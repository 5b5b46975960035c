"""Programs of TensorFlow 1.x that both type checkers accept; nothing here runs."""

from typing import Any

import numpy as np

import ferroflow as tf


def linear_regression() -> None:
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    y = tf.placeholder("float", shape=(None, 1))
    w = tf.Variable(tf.truncated_normal([3, 1], stddev=0.1), name="w")
    b = tf.Variable(tf.zeros([1]))
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
    train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        feeds = {x: np.zeros((4, 3)), y: np.ones((4, 1), np.float32)}
        _, value = sess.run([train, loss], feed_dict=feeds)
        sess.run(train, feed_dict={x: [[1.0, 2, 3]], y: [[0.5]]})
        print(value, loss.eval(feed_dict={x: [[1, 2, 3]], y: [[1]]}), sess.run("x:0", {"x:0": [[1, 2, 3]]}))
        print(sess.run({"loss": loss, "both": (w, b)}, feeds))


def shapes_and_lists(x: tf.Tensor) -> None:
    batch = tf.shape(x)[0]
    shape = [batch, 10]
    tf.reshape(x, shape)
    tf.reshape(x, [-1, x.get_shape()[1] * 2])
    tf.reshape(x, tf.stack([batch, -1]))
    tf.reshape(x, x.get_shape().as_list())
    tf.zeros([batch, 5], dtype=tf.int32)
    tf.zeros(x.shape, np.float32)
    tf.concat([x, x], 1)
    tf.concat(values=[x, [[1.0, 2.0]]], axis=-1)
    parts = tf.split(x, 2, axis=1)
    tf.add_n(parts)
    tf.stack([1.0, x[0, 0], parts[0][0, 0]])
    tf.reduce_sum([1, 2, 3])
    tf.reduce_mean(x, [0, 1], keep_dims=True)
    tf.reduce_max(x, axis=None, keepdims=True)
    tf.argmax(x, 1)
    tf.cast(tf.equal(tf.argmax(x, 1), tf.argmax(x, 1)), "float")
    tf.constant(np.arange(6).reshape(2, 3), tf.float32)
    tf.constant([[1, 2], [3, 4]], shape=[2, 2])
    tf.expand_dims(x, -1)
    tf.squeeze(x, [1])
    tf.tile(x, [1, 2])
    tf.transpose(x, perm=[1, 0])
    tf.gather(x, [0, 1])
    tf.one_hot([1, 2], depth=3)
    tf.where(x > 0, x, tf.zeros_like(x))
    tf.clip_by_value(x, 1e-8, 1.0)
    tf.cond(tf.less(batch, 3), lambda: x, lambda: -x)
    tf.random_uniform([batch, 2], -1.0, 1.0, seed=3)


def operators(x: tf.Tensor, v: tf.Variable) -> None:
    y = 2 * x + v / 3.0 - np.float32(1) * x**2
    z = -(y @ x) + abs(x) - x % 2 + x // 2 + np.ones(3) * 1.0
    more = v + 1.0, 1.0 - v, v * x, -v, v > 0.5, v[0], v[1:, tf.newaxis]
    print(z[..., 0], x[:, 1:3], more, (x > 0.5) & (x < 1.0), ~(x >= 2), x[0] == 3)
    v.assign(x)
    v.assign_add([1.0])
    tf.assign(v, v * 2)
    v.load(np.zeros(3))
    v.get_shape().as_list()


def network(images: tf.Tensor, labels: tf.Tensor, is_training: tf.Tensor) -> tf.Tensor:
    with tf.variable_scope("net", reuse=tf.AUTO_REUSE) as scope:
        w = tf.get_variable("w", [5, 5, 1, 32], initializer=tf.truncated_normal_initializer(stddev=0.1))
        b = tf.get_variable("b", shape=[32], dtype=tf.float32, initializer=tf.constant_initializer(0.0))
        scope.reuse_variables()
    net = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(images, w, strides=[1, 1, 1, 1], padding="SAME"), b))
    net = tf.nn.max_pool(net, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    net = tf.layers.conv2d(net, 64, 5, padding="same", activation=tf.nn.relu)
    net = tf.layers.max_pooling2d(inputs=net, pool_size=[2, 2], strides=2)
    net = tf.layers.batch_normalization(net, training=is_training)
    net = tf.layers.dropout(tf.layers.flatten(net), rate=0.4, training=True)
    net = tf.contrib.layers.fully_connected(net, 128, activation_fn=None)
    net = tf.nn.dropout(net, keep_prob=tf.placeholder_with_default(1.0, []))
    logits = tf.layers.dense(net, units=10, kernel_regularizer=tf.contrib.layers.l2_regularizer(1e-4), name="out")
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    tf.losses.softmax_cross_entropy(onehot_labels=tf.one_hot(labels, 10), logits=logits)
    tf.summary.scalar("loss", loss)
    tf.metrics.accuracy(labels=labels, predictions=tf.argmax(logits, 1))
    return loss


def recurrent(words: tf.Tensor, lengths: tf.Tensor) -> None:
    cells = [tf.nn.rnn_cell.BasicLSTMCell(64) for _ in range(2)]
    cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.DropoutWrapper(c, output_keep_prob=0.5) for c in cells])
    outputs, state = tf.nn.dynamic_rnn(cell, words, sequence_length=lengths, dtype=tf.float32)
    print(outputs, state, cell.zero_state(32, tf.float32))
    tf.nn.bidirectional_dynamic_rnn(tf.contrib.rnn.GRUCell(8), tf.contrib.rnn.GRUCell(8), words, dtype=tf.float32)
    tf.while_loop(lambda i, _: i < 10, lambda i, x: (i + 1, x * 2), [tf.constant(0), tf.constant(1.0)])
    tf.scan(lambda a, x: a + x, words)
    tf.map_fn(lambda x: x * 2, words, dtype=tf.float32)


def optimization(loss: tf.Tensor) -> None:
    step = tf.train.get_or_create_global_step()
    rate = tf.train.exponential_decay(0.1, step, 1000, 0.96, staircase=True)
    optimizer = tf.train.AdamOptimizer(learning_rate=rate)
    pairs = optimizer.compute_gradients(loss)
    clipped = [(tf.clip_by_norm(g, 5.0), v) for g, v in pairs if g is not None]
    optimizer.apply_gradients(clipped, global_step=step)
    variables = tf.trainable_variables()
    gradients, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), 5.0)
    tf.train.RMSPropOptimizer(1e-3).apply_gradients(zip(gradients, variables, strict=True))
    with tf.control_dependencies([tf.group(*[v.initializer for v in variables])]):
        tf.identity(loss, name="after")


def sessions(model: str) -> None:
    config = tf.ConfigProto(allow_soft_placement=True, gpu_options=tf.GPUOptions(allow_growth=True))
    config.gpu_options.per_process_gpu_memory_fraction = 0.5
    config.intra_op_parallelism_threads = 2
    saver = tf.train.Saver(max_to_keep=3)
    with tf.Graph().as_default(), tf.Session(config=config) as sess:
        writer = tf.summary.FileWriter("logs", sess.graph)
        saver.save(sess, model, global_step=3)
        saver.restore(sess, tf.train.latest_checkpoint("logs") or model)
        coordinator = tf.train.Coordinator()
        tf.train.start_queue_runners(sess=sess, coord=coordinator)
        try:
            sess.run(tf.get_collection(tf.GraphKeys.UPDATE_OPS))
        except (tf.errors.OutOfRangeError, tf.errors.InvalidArgumentError) as error:
            print(error.message, error.op)
        writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="x", simple_value=1.0)]), 3)
    with tf.train.MonitoredTrainingSession(checkpoint_dir="logs", hooks=[tf.train.StopAtStepHook(10)]) as monitored:
        while not monitored.should_stop():
            monitored.run(tf.no_op())


def data(names: list[str]) -> Any:
    def parse(record: tf.Tensor) -> Any:
        return tf.parse_single_example(
            record, {"x": tf.FixedLenFeature([], tf.int64), "y": tf.VarLenFeature(tf.string)}
        )

    dataset = tf.data.TFRecordDataset(names).map(parse, num_parallel_calls=4).shuffle(100).repeat().batch(32)
    tf.data.Dataset.from_tensor_slices((np.zeros((3, 2)), [1, 2, 3])).batch(2).prefetch(1)
    example = tf.train.Example(
        features=tf.train.Features(feature={"x": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))})
    )
    with tf.python_io.TFRecordWriter("records") as writer:
        writer.write(example.SerializeToString())
    return dataset.make_one_shot_iterator().get_next()


def model_fn(features: dict[str, tf.Tensor], labels: tf.Tensor, mode: str, params: dict[str, Any]) -> Any:
    net = tf.feature_column.input_layer(features, params["columns"])
    loss = tf.losses.mean_squared_error(labels, tf.layers.dense(net, 1))
    train = tf.train.AdagradOptimizer(0.05).minimize(loss, global_step=tf.train.get_global_step())
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"net": net})
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)


def estimators() -> None:
    columns = [tf.feature_column.numeric_column("x", shape=[4])]
    tf.estimator.Estimator(model_fn, model_dir="here", params={"columns": columns}).train(
        tf.estimator.inputs.numpy_input_fn({"x": np.zeros((4, 4))}, np.zeros(4), shuffle=True), steps=10
    )
    tf.estimator.DNNClassifier(hidden_units=[10, 10], feature_columns=columns, n_classes=3)


def keras_model() -> None:
    model = tf.keras.models.Sequential(
        [tf.keras.layers.Flatten(input_shape=(28, 28)), tf.keras.layers.Dense(10, activation="softmax")]
    )
    model.compile(optimizer="adam", loss="categorical_crossentropy", metrics=["accuracy"])
    model.fit(np.zeros((4, 28, 28)), np.zeros((4, 10)), epochs=1, verbose=0)


flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_string("folder", "/tmp", "where")
flags.DEFINE_integer("steps", 100, "how many")
tf.flags.DEFINE_float("rate", 0.1, "how fast")
tf.flags.DEFINE_boolean("fake", False, docstring="no data")


def main(_: list[str]) -> None:
    tf.logging.set_verbosity(tf.logging.INFO)
    tf.logging.info("%s in %d steps", FLAGS.folder, FLAGS.steps)


class Square(tf.test.TestCase):
    def test_square(self) -> None:
        with self.test_session():
            self.assertAllClose(tf.square([2.0, 3.0]).eval(), [4.0, 9.0])


if __name__ == "__main__":
    tf.app.run(main)
