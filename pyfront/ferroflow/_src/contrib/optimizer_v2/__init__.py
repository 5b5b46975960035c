"""`tf.contrib.optimizer_v2`: the optimizers of `tf.train`, whose hyperparameters may be functions."""
