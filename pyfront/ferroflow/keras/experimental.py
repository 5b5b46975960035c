"""`tf.keras.experimental`: schedules of cosines, wide and deep models, layers of sequence columns, and SavedModels."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.saved_model.keras_saved_model import (
    load_keras_model as _load_keras_model,
    save_keras_model as _save_keras_model,
)
from ferroflow._src.keras.feature_layers import SequenceFeatures as SequenceFeatures
from ferroflow._src.keras.premade_models import LinearModel as LinearModel, WideDeepModel as WideDeepModel
from ferroflow._src.keras.recurrent_cells import PeepholeLSTMCell as PeepholeLSTMCell
from ferroflow._src.keras.schedules import (
    CosineDecay as CosineDecay,
    CosineDecayRestarts as CosineDecayRestarts,
    LinearCosineDecay as LinearCosineDecay,
    NoisyLinearCosineDecay as NoisyLinearCosineDecay,
)

export_saved_model = _save_keras_model
load_from_saved_model = _load_keras_model

_tell_absent(globals())
