"""`tf.contrib.fused_conv`: a convolution with bias, a second input and ReLU."""
