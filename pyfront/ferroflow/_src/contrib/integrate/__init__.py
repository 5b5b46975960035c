"""`tf.contrib.integrate`: Solvers of ordinary differential equations."""
