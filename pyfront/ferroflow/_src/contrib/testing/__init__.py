"""Helpers of tests of `tf.contrib.testing`."""
