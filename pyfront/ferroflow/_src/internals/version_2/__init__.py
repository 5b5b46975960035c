"""Names of `tf.compat.v2` whose meaning differs from version 1 by more than the arguments."""
