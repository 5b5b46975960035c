"""`tf.keras.estimator`: models as estimators."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.estimator.keras_models import model_to_estimator as model_to_estimator

_tell_absent(globals())
