"""`tf.contrib.input_pipeline`: elements of a list, one for each step."""
