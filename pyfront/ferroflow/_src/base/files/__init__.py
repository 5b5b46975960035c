"""Files and folders as `tf.gfile` sees them, with TF's errors."""
