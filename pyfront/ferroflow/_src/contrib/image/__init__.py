"""`tf.contrib.image`: rotated, moved and warped images."""
