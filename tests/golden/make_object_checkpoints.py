"""Writes the checkpoint of objects beside itself; run with TensorFlow 1.15: `python make_object_checkpoints.py`."""

import os

import tensorflow as tf
from object_checkpoint_programs import checkpoint_of_step

if __name__ == "__main__":
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "object_checkpoints")
    checkpoint, train = checkpoint_of_step(tf)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train)
        print(checkpoint.save(os.path.join(folder, "ckpt"), session=session))
