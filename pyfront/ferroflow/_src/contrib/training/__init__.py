"""`tf.contrib.training`: hyperparameters, bucketing and training loops."""
