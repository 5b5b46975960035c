"""`tf.contrib`, a package for each part of it: what only programs of `tf.contrib` reach."""
