"""`tf.keras.datasets.reuters`: news of a day."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.datasets.keras_arrays import reuters as _reuters, reuters_word_index as _reuters_word_index

load_data = _reuters
get_word_index = _reuters_word_index

_tell_absent(globals())
