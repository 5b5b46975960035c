"""Writes summaries.json: what TensorFlow 2 gives for the programs in summary_programs.py."""

import base64
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import tensorflow.compat.v1 as tf  # noqa: E402
from summary_programs import images, programs  # noqa: E402


def main():
    found = {"summaries": {}, "images": {}}
    with tf.Graph().as_default(), tf.Session() as session:
        for name, summary in programs(tf):
            message = base64.b64encode(session.run(summary)).decode()
            found["summaries"][name] = {"operation": summary.op.name, "message": message}
        for name, pixels in images():
            message = tf.Summary.FromString(session.run(tf.summary.image(name, tf.constant(pixels))))
            decoded = [session.run(tf.image.decode_png(v.image.encoded_image_string)) for v in message.value]
            tags = [v.tag for v in message.value]
            found["images"][name] = [{"tag": t, "pixels": d.tolist()} for t, d in zip(tags, decoded, strict=True)]
    with open(os.path.join(HERE, "summaries.json"), "w") as file:
        json.dump(found, file, sort_keys=True)
        file.write("\n")


if __name__ == "__main__":
    tf.disable_v2_behavior()
    main()
