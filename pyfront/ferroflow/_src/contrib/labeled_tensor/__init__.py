"""`tf.contrib.labeled_tensor`."""
