"""`tf.contrib.tensorboard.plugins`: a module for each plugin."""

from ferroflow.contrib.tensorboard.plugins import projector as projector
