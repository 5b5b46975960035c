"""`tf.contrib.resampler`: Images sampled at any points."""
