"""`tf.keras.applications.xception`: Xception, and their pictures."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.applications.imagenet import (
    decode_predictions as decode_predictions,
    preprocess_input_tf as preprocess_input,
)
from ferroflow._src.keras.applications.xception import Xception as Xception

__all__ = ["Xception", "decode_predictions", "preprocess_input"]

_tell_absent(globals())
