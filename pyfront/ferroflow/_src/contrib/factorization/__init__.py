"""Clusterings of `tf.contrib.factorization`: k-means and mixtures of normal distributions."""
