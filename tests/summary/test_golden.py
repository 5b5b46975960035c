"""Summaries are TensorFlow's, byte for byte where the format leaves no choice, pixel for pixel where it does."""

import base64
import json
from pathlib import Path

import numpy as np
import pytest
from golden.summary_programs import images, programs

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "summaries.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def made():
    with tf.Graph().as_default(), tf.Session() as session:
        return {name: (summary.op.name, session.run(summary)) for name, summary in programs(tf)}


@pytest.mark.parametrize("name", GOLDEN["summaries"])
def test_summaries_have_the_messages_of_tensorflow(made, name):
    wanted = GOLDEN["summaries"][name]
    operation, message = made[name]
    assert operation == wanted["operation"]
    assert tf.Summary.FromString(message) == tf.Summary.FromString(base64.b64decode(wanted["message"]))


@pytest.mark.parametrize(("name", "pixels"), list(images()))
def test_images_have_the_pixels_of_tensorflow(name, pixels):
    with tf.Graph().as_default(), tf.Session() as session:
        message = tf.Summary.FromString(session.run(tf.summary.image(name, tf.constant(pixels))))
        values = [(v.tag, session.run(tf.image.decode_png(v.image.encoded_image_string))) for v in message.value]
    wanted = GOLDEN["images"][name]
    assert [tag for tag, _ in values] == [image["tag"] for image in wanted]
    for value, (_, shown), image in zip(message.value, values, wanted, strict=True):
        np.testing.assert_array_equal(shown, image["pixels"])
        assert (value.image.height, value.image.width, value.image.colorspace) == shown.shape
