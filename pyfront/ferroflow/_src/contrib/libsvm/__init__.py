"""`tf.contrib.libsvm`: records in the format of LIBSVM."""
