"""`tf.contrib.losses`: losses whose weights broadcast from the left."""
