"""The parts of `tf.contrib.checkpoint` that `tf.train.Checkpoint` lacks."""
