"""`tf.contrib.copy_graph`: Copies variables and operations to other graphs."""
