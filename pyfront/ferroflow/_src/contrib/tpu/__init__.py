"""`tf.contrib.tpu`: the estimator of TPU programs."""
