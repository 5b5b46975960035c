"""The code of `tf.contrib.feature_column`."""
