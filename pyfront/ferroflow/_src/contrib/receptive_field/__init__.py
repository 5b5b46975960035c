"""`tf.contrib.receptive_field`: the part of an image that a feature of a convolutional network depends on."""
