"""`tf.contrib.learn.python`: the path that TensorFlow's sources have."""

from ferroflow.contrib.learn.python import learn as learn
