"""`tf.contrib.layers`: layers as functions with scopes, normalizers, regularizers and collections."""
