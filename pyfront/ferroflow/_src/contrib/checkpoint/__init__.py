"""What `tf.contrib.checkpoint` adds to `tf.train.Checkpoint`."""
