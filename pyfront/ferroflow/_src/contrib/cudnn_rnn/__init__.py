"""`tf.contrib.cudnn_rnn`: Recurrent layers with the variables of cuDNN's checkpoints, computed on the CPU."""
