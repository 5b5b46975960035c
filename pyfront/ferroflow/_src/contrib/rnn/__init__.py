"""`tf.contrib.rnn`: recurrent cells and wrappers besides those of `tf.nn.rnn_cell`."""
