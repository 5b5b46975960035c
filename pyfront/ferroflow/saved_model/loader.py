"""`tf.saved_model.loader`: reading SavedModels."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.saved_model.loader import load as load, maybe_saved_model_directory as maybe_saved_model_directory

_tell_absent(globals())
