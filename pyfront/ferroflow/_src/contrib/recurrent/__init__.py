"""`tf.contrib.recurrent`: recurrent networks of functions of parameters, state and input."""
