"""`tf.contrib.periodic_resample`: tensors whose last values become points between others."""
