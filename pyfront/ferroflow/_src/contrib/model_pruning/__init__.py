"""`tf.contrib.model_pruning`."""
