"""Programs in the style of Horovod's examples: hooks in a MonitoredTrainingSession, an Estimator, two graphs."""

import os
import sys

import horovod.tensorflow as hvd
import numpy as np
import tensorflow as tf
from reports import report

STEPS, BATCH = 12, 32
random = np.random.RandomState(3)
images = random.standard_normal((STEPS * BATCH, 64)).astype(np.float32)
labels = random.randint(0, 10, STEPS * BATCH).astype(np.int32)


def conv_model(features, target, mode):
    """Returns predictions and the loss, of two convolutions and two dense layers."""
    feature = tf.reshape(features, [-1, 8, 8, 1])
    target = tf.one_hot(tf.cast(target, tf.int32), 10, 1, 0)
    with tf.variable_scope("conv_layer1"):
        h_conv1 = tf.layers.conv2d(feature, 4, kernel_size=[3, 3], activation=tf.nn.relu, padding="SAME")
        h_pool1 = tf.nn.max_pool(h_conv1, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    with tf.variable_scope("conv_layer2"):
        h_conv2 = tf.layers.conv2d(h_pool1, 8, kernel_size=[3, 3], activation=tf.nn.relu, padding="SAME")
        flat = tf.reshape(tf.nn.max_pool(h_conv2, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"), [-1, 2 * 2 * 8])
    h_fc1 = tf.layers.dense(flat, 16, activation=tf.nn.relu)
    logits = tf.layers.dense(h_fc1, 10, activation=None)
    return tf.argmax(logits, 1), tf.losses.softmax_cross_entropy(target, logits)


def examples():
    """Yields this rank's part of each batch."""
    for begin in range(0, len(images), BATCH):
        rows = slice(begin + hvd.rank() * BATCH // hvd.size(), begin + (hvd.rank() + 1) * BATCH // hvd.size())
        yield images[rows], labels[rows]


def trained_values(sess):
    return {v.op.name: sess.run(v).ravel().astype(float).tolist() for v in tf.trainable_variables()}


def monitored_session(folder):
    image, label = (
        tf.placeholder(tf.float32, [None, 64], name="image"),
        tf.placeholder(tf.float32, [None], name="label"),
    )
    _, loss = conv_model(image, label, tf.estimator.ModeKeys.TRAIN)
    opt = hvd.DistributedOptimizer(tf.train.RMSPropOptimizer(0.001))
    global_step = tf.train.get_or_create_global_step()
    train_op = opt.minimize(loss, global_step=global_step)
    hooks = [
        hvd.BroadcastGlobalVariablesHook(0),
        tf.train.StopAtStepHook(last_step=STEPS),
        tf.train.LoggingTensorHook(tensors={"step": global_step, "loss": loss}, every_n_iter=10),
    ]
    config = tf.ConfigProto()
    config.gpu_options.allow_growth = True
    config.gpu_options.visible_device_list = str(hvd.local_rank())
    checkpoint_dir = folder if hvd.rank() == 0 else None
    batches, losses = examples(), []
    with tf.train.MonitoredTrainingSession(checkpoint_dir=checkpoint_dir, hooks=hooks, config=config) as mon_sess:
        while not mon_sess.should_stop():
            image_, label_ = next(batches)
            losses.append(float(mon_sess.run([loss, train_op], {image: image_, label: label_})[0]))
    if hvd.rank() == 0:
        with tf.Session() as sess:
            tf.train.Saver().restore(sess, tf.train.latest_checkpoint(folder))
            return {"losses": losses, "values": trained_values(sess)}
    return {"losses": losses}


def estimator(folder):
    def model_fn(features, labels, mode):
        predictions, loss = conv_model(features["x"], labels, mode)
        if mode == tf.estimator.ModeKeys.TRAIN:
            optimizer = hvd.DistributedOptimizer(tf.train.MomentumOptimizer(0.01, momentum=0.9))
            train_op = optimizer.minimize(loss=loss, global_step=tf.train.get_global_step())
            return tf.estimator.EstimatorSpec(mode=mode, loss=loss, train_op=train_op)
        metrics = {"accuracy": tf.metrics.accuracy(labels=labels, predictions=predictions)}
        return tf.estimator.EstimatorSpec(mode=mode, loss=loss, eval_metric_ops=metrics)

    def train_input():
        rows = tf.data.Dataset.from_tensor_slices((images, labels)).shard(hvd.size(), hvd.rank())
        rows = rows.batch(BATCH // hvd.size()).repeat()
        return rows.map(lambda x, y: ({"x": x}, y))

    def test_input():
        return tf.data.Dataset.from_tensor_slices((images, labels)).batch(100).map(lambda x, y: ({"x": x}, y))

    config = tf.estimator.RunConfig(tf_random_seed=SEED)
    classifier = tf.estimator.Estimator(model_fn, model_dir=folder if hvd.rank() == 0 else None, config=config)
    hooks = [hvd.BroadcastGlobalVariablesHook(0)]
    # The second call makes a new graph and a new session, and on other ranks than 0 a session without a checkpoint.
    classifier.train(train_input, steps=STEPS // 2, hooks=hooks)
    classifier.train(train_input, steps=STEPS // 2, hooks=hooks)
    if hvd.rank() == 0:
        found = classifier.evaluate(test_input)
        names = classifier.get_variable_names()
        kernels = {
            n: classifier.get_variable_value(n).ravel().astype(float).tolist() for n in names if "Momentum" not in n
        }
        return {"losses": [float(found["loss"])], "values": kernels}
    return {"losses": []}


def two_graphs(folder):
    """Trains in one graph and averages a metric in another, in turns; names of tensors are the same in both."""
    losses, averages = [], []
    with tf.Graph().as_default() as first:
        tf.set_random_seed(SEED)
        image, label = tf.placeholder(tf.float32, [None, 64]), tf.placeholder(tf.float32, [None])
        _, loss = conv_model(image, label, "train")
        train = hvd.DistributedOptimizer(tf.train.AdamOptimizer(0.01)).minimize(loss)
        average = hvd.allreduce(loss, name="average")
        one = tf.Session(graph=first)
        one.run(tf.global_variables_initializer())
        one.run(hvd.broadcast_global_variables(0))
    with tf.Graph().as_default() as second:
        fed = tf.placeholder(tf.float32, [])
        other = hvd.allreduce(fed, name="average")
        two = tf.Session(graph=second)
    for image_, label_ in examples():
        value, _ = one.run([loss, train], {image: image_, label: label_})
        losses.append(float(value))
        averages.append(float(two.run(other, {fed: value})) - float(one.run(average, {image: image_, label: label_})))
    with first.as_default():
        return {"losses": losses, "averages": averages, "values": trained_values(one)}


hvd.init()
# Ranks begin with different variables, until those of rank 0 are broadcast.
SEED = 1 if hvd.rank() == 0 else 100 + hvd.rank()
tf.set_random_seed(SEED)
kind = {"monitored_session": monitored_session, "estimator": estimator, "two_graphs": two_graphs}[sys.argv[1]]
report(hvd.rank(), **kind(os.path.join(os.environ["REPORTS"], "model")))
