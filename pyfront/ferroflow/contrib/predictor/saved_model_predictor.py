"""`tf.contrib.predictor.saved_model_predictor`: predictors from SavedModels."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.predictor.predictor import SavedModelPredictor as SavedModelPredictor

_tell_absent(globals())
