"""`tf.keras.preprocessing.text`: texts made sequences of numbers."""

from ferroflow._src.keras.sequences import Tokenizer as Tokenizer
from ferroflow._src.keras.sequences import text_to_word_sequence as text_to_word_sequence
