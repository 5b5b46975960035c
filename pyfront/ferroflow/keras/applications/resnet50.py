"""`tf.keras.applications.resnet50`: ResNet50, and their images."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.applications.imagenet import (
    decode_predictions as decode_predictions,
    preprocess_input as preprocess_input,
)
from ferroflow._src.keras.applications.resnet import ResNet50 as ResNet50

_tell_absent(globals())
