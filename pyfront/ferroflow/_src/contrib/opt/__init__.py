"""`tf.contrib.opt`: optimizers besides those of `tf.train`."""
