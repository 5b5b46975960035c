"""`tf.contrib.tensorboard`: what plugins of TensorBoard are told."""

from ferroflow.contrib.tensorboard import plugins as plugins
