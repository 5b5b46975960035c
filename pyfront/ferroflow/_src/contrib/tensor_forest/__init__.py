"""`tf.contrib.tensor_forest`: extremely randomized forests that are trained in a graph."""
