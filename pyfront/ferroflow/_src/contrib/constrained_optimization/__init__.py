"""`tf.contrib.constrained_optimization`."""
