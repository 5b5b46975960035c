"""`tf.contrib.predictor.predictor`: the base of predictors."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.predictor.predictor import Predictor as Predictor

_tell_absent(globals())
