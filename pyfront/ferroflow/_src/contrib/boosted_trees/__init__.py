"""`tf.contrib.boosted_trees`: the losses of its trees."""
