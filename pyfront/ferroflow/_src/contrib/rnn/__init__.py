"""`tf.contrib.rnn`: recurrent cells and wrappers beside those of `tf.nn.rnn_cell`."""
