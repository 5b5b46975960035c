"""`tf.keras.preprocessing.sequence`: sequences made arrays."""

from ferroflow._src.keras.sequences import pad_sequences as pad_sequences
