"""`tf.keras.wrappers.scikit_learn`: models as estimators of scikit-learn."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.scikit_learn import KerasClassifier as KerasClassifier, KerasRegressor as KerasRegressor

_tell_absent(globals())
