"""`tf.keras.applications.vgg19`: VGG19, and their images."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.applications.imagenet import (
    decode_predictions as decode_predictions,
    preprocess_input as preprocess_input,
)
from ferroflow._src.keras.applications.vgg import VGG19 as VGG19

_tell_absent(globals())
