"""`tf.keras.preprocessing.text`: texts made sequences of numbers."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.sequences import (
    hashing_trick as hashing_trick,
    one_hot as one_hot,
    text_to_word_sequence as text_to_word_sequence,
)
from ferroflow._src.keras.tokenizer import Tokenizer as Tokenizer, tokenizer_from_json as tokenizer_from_json

_tell_absent(globals())
