"""`tf.keras.datasets.imdb`: reviews of films."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.datasets.keras_arrays import imdb as _imdb, imdb_word_index as _imdb_word_index

load_data = _imdb
get_word_index = _imdb_word_index

_tell_absent(globals())
