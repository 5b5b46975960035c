"""Programs that write summaries of version 2: TensorFlow 1.15's events for them are in version_2_summaries.json."""

import base64
import glob
import os

import numpy as np


def add_summaries(tf, v2):
    """Adds summaries of all kinds to the default graph, and returns those whose names are compared."""
    summary, random = v2.summary, np.random.RandomState(5)
    values = random.normal(size=(50,))
    made = [summary.scalar("loss", 2.5, step=1), summary.scalar("a b:c", tf.constant(3), step=2, description="three")]
    with tf.name_scope("outer"):
        made.append(summary.scalar("loss", np.float64(0.1), step=3))
        made.append(summary.scalar("loss", np.float64(0.2), step=4))
    summary.histogram("weights", values, step=5)
    summary.histogram("counts", tf.constant([0, 0, 5, -3, 9, 9]), step=6, buckets=4, description="*few*")
    summary.histogram("none", tf.constant([], tf.float32), step=7)
    summary.histogram("equal", tf.constant([4.0, 4.0, 4.0]), step=8)
    summary.audio("clip", np.clip(random.normal(size=(4, 9, 2)), -1, 1).astype(np.float32), 8000, step=9, max_outputs=2)
    summary.text("words", tf.constant([["a", "b"], ["c", "*d*"]]), step=10)
    summary.write("raw", tf.constant([1, 2], tf.int16), step=11)
    summary.experimental.set_step(13)
    summary.scalar("at the default step", 1.0)
    summary.experimental.set_step(None)
    for recorded in (True, False):
        with summary.record_if(lambda recorded=recorded: tf.equal(tf.constant(1), int(recorded))):
            summary.scalar(f"recorded_{recorded}", 1.0, step=14)
    return made


def written(tf, v2, folder):
    """Runs the summaries; returns the names of some operations, and the values by tag."""
    with tf.Graph().as_default(), tf.Session() as session:
        writer = v2.summary.create_file_writer(folder)
        with writer.as_default():
            names = [made.op.name.rpartition("/summary_cond")[0] or made.op.name for made in add_summaries(tf, v2)]
            # The images are compared as pixels, since the compression of PNG files may differ.
            pixels = np.random.RandomState(6).uniform(-0.2, 1.2, size=(2, 3, 4, 3)).astype(np.float32)
            v2.summary.image("picture", pixels, step=15, max_outputs=1)
        session.run(writer.init())
        session.run(tf.get_collection(tf.GraphKeys._SUMMARY_COLLECTION))
        session.run(writer.flush())
    (path,) = glob.glob(os.path.join(folder, "*.v2"))
    values, metadata = {}, {}
    for event in tf.train.summary_iterator(path):
        for value in event.summary.value:
            values.setdefault(value.tag, []).append([event.step, *described(tf, value)])
            # ferroflow writes the metadata with the first value of a tag, TensorFlow with each.
            metadata[value.tag] = (
                metadata.get(value.tag) or base64.b64encode(value.metadata.SerializeToString()).decode()
            )
    return {"names": names, "values": {tag: sorted(listed) for tag, listed in values.items()}, "metadata": metadata}


def described(tf, value):
    """Returns a value's dtype, shape and elements, with the pixels of an image in place of its file."""
    elements = tf.make_ndarray(value.tensor)
    listed = elements.tolist()
    if value.tag == "picture":
        with tf.Session() as session:
            images = [session.run(tf.image.decode_png(file)).tolist() for file in listed[2:]]
        listed = [side.decode() for side in listed[:2]] + images
    elif elements.dtype == object:
        listed = [base64.b64encode(text).decode() for text in elements.ravel()]
    return [value.tensor.dtype, list(elements.shape), listed]
