"""`tf.contrib.predictor`: functions that SavedModels make."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.predictor.predictor import from_saved_model as from_saved_model
from ferroflow.contrib.predictor import predictor as predictor, saved_model_predictor as saved_model_predictor

_tell_absent(globals())
