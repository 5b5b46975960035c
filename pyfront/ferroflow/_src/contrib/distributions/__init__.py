"""Distributions of `tf.contrib.distributions` besides those of `tf.distributions`."""
