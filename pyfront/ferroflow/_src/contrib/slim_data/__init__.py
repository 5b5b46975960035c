"""`tf.contrib.slim`'s input: data sets of examples, their decoders, and readers that work side by side."""
