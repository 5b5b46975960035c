"""`tf.keras.utils`: classes made rows."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.data_files import get_file as get_file
from ferroflow._src.keras.sequences import to_categorical as to_categorical

_tell_absent(globals())
