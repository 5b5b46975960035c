"""`tf.contrib.estimator`: heads, and what changes an estimator that is there."""
