"""`tf.contrib.saved_model`: signatures of loaded SavedModels."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.saved_model.signatures import get_signature_def_by_key as get_signature_def_by_key

_tell_absent(globals())
