"""`tf.contrib.saved_model`: signatures of loaded SavedModels, and SavedModels of Keras's models."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.saved_model.keras_saved_model import (
    load_keras_model as load_keras_model,
    save_keras_model as save_keras_model,
)
from ferroflow._src.saved_model.signatures import get_signature_def_by_key as get_signature_def_by_key

# The layers that configurations name.

_tell_absent(globals())
