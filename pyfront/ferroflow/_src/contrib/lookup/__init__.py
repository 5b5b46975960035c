"""`tf.contrib.lookup`: tables that programs write to."""
