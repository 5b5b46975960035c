"""`tf.contrib.saved_model`: SavedModels of Keras's models."""
