"""`tf.contrib.batching`: computations shared by the steps that run at the same time."""
