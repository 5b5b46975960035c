"""`tf.contrib.tensorboard`: plugins of TensorBoard."""
