"""`tf.contrib.distributions.bijectors`: invertible functions of tensors and their Jacobian determinants."""
