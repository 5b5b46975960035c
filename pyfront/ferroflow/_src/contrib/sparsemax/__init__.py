"""`tf.contrib.sparsemax`: Sparsemax, a softmax with exact zeros, and its loss."""
