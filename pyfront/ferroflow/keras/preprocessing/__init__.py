"""`tf.keras.preprocessing`: images, texts and sequences made arrays."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow.keras.preprocessing import image as image, sequence as sequence, text as text

_tell_absent(globals())
