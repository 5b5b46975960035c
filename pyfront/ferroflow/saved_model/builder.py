"""`tf.saved_model.builder`: writing SavedModels."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.saved_model.builder import SavedModelBuilder as SavedModelBuilder

_tell_absent(globals())
