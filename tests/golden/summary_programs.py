"""Programs that summarize values: what TensorFlow gives for them is in summaries.json."""

import numpy as np


def programs(tf):
    rng = np.random.RandomState(7)
    normal = rng.normal(size=(40,)).astype(np.float32)
    yield "scalar", tf.summary.scalar("loss", 2.5)
    with tf.name_scope("outer"):
        yield "scalar_family", tf.summary.scalar("loss", 3, family="group")
        yield "scalar_again", tf.summary.scalar("loss", np.float64(0.1))
    yield "scalar_illegal", tf.summary.scalar("/a b:c", 1.0)
    yield "histogram", tf.summary.histogram("weights", normal)
    yield "histogram_int", tf.summary.histogram("counts", tf.constant([0, 0, 5, -3, 1 << 20]))
    yield "histogram_empty", tf.summary.histogram("none", np.zeros([0], np.float32))
    yield "histogram_tiny", tf.summary.histogram("tiny", tf.constant([1e-300, -1e-300, 1e-13, 1e30, -1e30], tf.float64))
    audio = np.clip(rng.normal(size=(2, 30, 2)), -1.2, 1.2).astype(np.float32)
    yield "audio", tf.summary.audio("clip", audio, 8000.5)
    yield "audio_mono", tf.summary.audio("mono", audio[:, :, 0], 44100.0, max_outputs=1)
    yield "tensor", tf.summary.tensor_summary("t", np.arange(6, dtype=np.int64).reshape(2, 3), display_name="six")
    yield "text", tf.summary.text("words", tf.constant([["a", "b"], ["c", "*d*"]]))
    yield "merged", tf.summary.merge([tf.summary.scalar("x", 1.0), tf.summary.scalar("y", 2.0)])


def images():
    rng = np.random.RandomState(8)
    yield "image", rng.uniform(-1, 3, size=(2, 5, 4, 3)).astype(np.float32)
    yield "image_positive", rng.uniform(0, 0.3, size=(1, 6, 6, 1)).astype(np.float64)
    yield "image_half", rng.normal(size=(4, 3, 3, 4)).astype(np.float16)
    yield "image_bytes", rng.randint(0, 256, size=(1, 4, 4, 3)).astype(np.uint8)
    bad = rng.uniform(size=(1, 3, 3, 3)).astype(np.float32)
    bad[0, 1, 1, 0], bad[0, 0, 2, 2] = np.nan, np.inf
    yield "image_bad", bad
