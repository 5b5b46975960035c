"""`tf.contrib.learn`: its data sets, preprocessing and modes."""
