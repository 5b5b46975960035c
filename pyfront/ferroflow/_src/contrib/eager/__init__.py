"""`tf.contrib.eager`: what graph programs use of it."""
