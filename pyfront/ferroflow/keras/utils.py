"""`tf.keras.utils`: classes made rows."""

from ferroflow._src.keras.sequences import to_categorical as to_categorical
