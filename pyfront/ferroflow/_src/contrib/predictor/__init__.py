"""`tf.contrib.predictor`: functions that run a model."""
