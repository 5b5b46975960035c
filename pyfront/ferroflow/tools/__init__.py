"""`tf.tools`: tools of TensorFlow that programs call as functions."""
