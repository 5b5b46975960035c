"""`tf.contrib.metrics`: metrics under their streaming names."""
