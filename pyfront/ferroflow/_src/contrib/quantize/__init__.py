"""`tf.contrib.quantize`: Rewrites graphs so that they simulate quantized weights and activations."""
