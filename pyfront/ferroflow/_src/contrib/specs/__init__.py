"""`tf.contrib.specs`: networks as expressions, such as `net = Cr(64, [5, 5]) | Mp([2, 2])`."""
