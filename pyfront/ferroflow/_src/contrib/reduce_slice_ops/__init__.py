"""`tf.contrib.reduce_slice_ops`."""
