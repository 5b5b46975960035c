"""Trains one classifier of handwritten digits from feeds, from queues and from `tf.data`, and measures all three.

    python examples/record_pipelines.py --epochs=40 --out=examples/out

The digits are written to TFRecord files first, which the queues and the datasets read. All three see every image as
often and reach the same accuracy, but for an image or two: each shuffles in its own way, and what a queue holds when
it is asked for a batch depends on its threads. A picture shows the three losses.
"""

import itertools
import os
import time

import numpy as np
from gallery.digits import SIDE, load_digits
from gallery.pictures import draw_curves
from tqdm import tqdm

import ferroflow as tf

PIXELS = SIDE * SIDE
CLASSES = 10
BATCH = 32
SHARDS = 4
SHUFFLED = 1024  # examples that are mixed with each other
SEED = 1

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_integer("epochs", 40, "Times that the model sees every training image.")
flags.DEFINE_string("out", os.path.join(os.path.dirname(os.path.abspath(__file__)), "out"), "Folder for all files.")


def write_records(folder, images, labels):
    """Writes examples to compressed TFRecord files, and returns the names of the files."""
    os.makedirs(folder, exist_ok=True)
    options = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
    files = []
    for shard in range(SHARDS):
        files.append(os.path.join(folder, f"digits-{shard}-of-{SHARDS}.tfrecord.gz"))
        with tf.python_io.TFRecordWriter(files[-1], options) as writer:
            for image, label in zip(images[shard::SHARDS], labels[shard::SHARDS], strict=True):
                pixels = tf.train.Feature(float_list=tf.train.FloatList(value=image))
                digit = tf.train.Feature(int64_list=tf.train.Int64List(value=[label]))
                features = tf.train.Features(feature={"pixels": pixels, "digit": digit})
                writer.write(tf.train.Example(features=features).SerializeToString())
    return files


def parsed(serialized):
    """The images [batch, pixels] and labels [batch] of serialized examples [batch]."""
    features = {"pixels": tf.FixedLenFeature([PIXELS], tf.float32), "digit": tf.FixedLenFeature([], tf.int64)}
    examples = tf.parse_example(serialized, features)
    return examples["pixels"], examples["digit"]


def from_feeds(_, training):
    """Batches cut from arrays by NumPy, and fed."""
    images = tf.placeholder(tf.float32, [None, PIXELS])
    labels = tf.placeholder(tf.int64, [None])
    shuffle = np.random.RandomState(SEED)
    order = np.concatenate([shuffle.permutation(len(training[1])) for _ in range(FLAGS.epochs)])
    batches = order[: len(order) // BATCH * BATCH].reshape(-1, BATCH)
    return images, labels, ({images: training[0][batch], labels: training[1][batch]} for batch in batches)


def from_queues(files, _):
    """A queue of file names, from which one thread reads examples into a queue that shuffles them."""
    options = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
    names = tf.train.string_input_producer(files, num_epochs=FLAGS.epochs, seed=SEED)
    _, serialized = tf.TFRecordReader(options=options).read_up_to(names, BATCH)
    images, labels = tf.train.shuffle_batch(
        parsed(serialized), BATCH, SHUFFLED + 8 * BATCH, SHUFFLED, seed=SEED, enqueue_many=True
    )
    return images, labels, itertools.repeat({})


def from_datasets(files, _):
    """A dataset of records, shuffled, put in batches and parsed ahead of the training."""
    records = tf.data.Dataset.from_tensor_slices(files).shuffle(SHARDS, SEED).repeat(FLAGS.epochs)
    records = records.flat_map(lambda file: tf.data.TFRecordDataset(file, compression_type="GZIP"))
    batches = records.shuffle(SHUFFLED, SEED).batch(BATCH, drop_remainder=True)
    images, labels = batches.map(parsed).prefetch(4).make_one_shot_iterator().get_next()
    return images, labels, itertools.repeat({})


def train(name, pipeline, files, training, test):
    """Builds the model over one pipeline, trains it until the input ends, and prints how well and how fast.

    Returns the mean loss of each epoch.
    """
    losses = []
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.set_random_seed(SEED)
        images, labels, feeds = pipeline(files, training)
        images = tf.placeholder_with_default(images, [None, PIXELS])
        labels = tf.placeholder_with_default(labels, [None])
        hidden = tf.layers.dense(images, 256, tf.nn.relu)
        hidden = tf.layers.dense(hidden, 256, tf.nn.relu)
        logits = tf.layers.dense(hidden, CLASSES)
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        global_step = tf.train.get_or_create_global_step()
        train_op = tf.train.GradientDescentOptimizer(0.2).minimize(loss, global_step=global_step)
        accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), labels), tf.float32))

        # Epochs are counted by local variables.
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        runners = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
        threads = [thread for runner in runners for thread in runner.create_threads(sess, coord, start=True)]
        progress = tqdm(feeds, desc=name, total=FLAGS.epochs * len(training[1]) // BATCH, unit="step")
        start = time.perf_counter()
        with coord.stop_on_exception():  # pipelines say by an error that their input has ended
            for feed in progress:
                losses.append(sess.run([train_op, loss], feed)[1])
        seconds = time.perf_counter() - start
        progress.close()
        coord.request_stop()
        coord.join(threads)
        reached, steps = sess.run([accuracy, global_step], {images: test[0], labels: test[1]})
    print(f"{name}: {steps} steps, test accuracy {reached!s}")
    print(f"{name}: speed {steps / seconds:,.0f} steps/s", flush=True)
    return [np.mean(epoch) for epoch in np.array_split(losses, FLAGS.epochs)]


def main(_):
    training, test = load_digits(SEED)
    files = write_records(os.path.join(FLAGS.out, "records"), *training)
    print(f"{len(training[1])} training images in {len(files)} files, {len(test[1])} test images")
    pipelines = {"feeds": from_feeds, "queues": from_queues, "datasets": from_datasets}
    losses = {name: train(name, pipeline, files, training, test) for name, pipeline in pipelines.items()}
    draw_curves(os.path.join(FLAGS.out, "pipelines.png"), losses, "epoch", "mean loss", "log")


if __name__ == "__main__":
    tf.app.run(main)
