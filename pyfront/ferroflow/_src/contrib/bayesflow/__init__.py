"""`tf.contrib.bayesflow`: estimates of expected values."""
