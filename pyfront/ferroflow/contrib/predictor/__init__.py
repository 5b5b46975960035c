"""`tf.contrib.predictor`: functions that SavedModels and estimators make."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.predictor.estimator_predictors import (
    from_contrib_estimator as from_contrib_estimator,
    from_estimator as from_estimator,
)
from ferroflow._src.contrib.predictor.predictor import from_saved_model as from_saved_model
from ferroflow.contrib.predictor import predictor as predictor, saved_model_predictor as saved_model_predictor

_tell_absent(globals())
