"""`tf.keras.preprocessing`: texts and sequences made arrays."""

from ferroflow.keras.preprocessing import sequence as sequence
from ferroflow.keras.preprocessing import text as text
