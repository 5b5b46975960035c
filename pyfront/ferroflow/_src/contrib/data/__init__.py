"""Datasets and writers that only `tf.contrib.data` has."""
