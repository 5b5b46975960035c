"""Test support for programs: `tf.test`."""
