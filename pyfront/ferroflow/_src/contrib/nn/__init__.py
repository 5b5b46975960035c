"""`tf.contrib.nn`: alpha dropout, a scaled softplus, cross entropies with the old order of arguments."""
