"""`tf.contrib.slim`: training and evaluation loops, and the analysis of models."""
