"""`tf.keras.experimental`: learning rates that fall as cosines, layers of sequence columns, and a cell."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.feature_layers import SequenceFeatures as SequenceFeatures
from ferroflow._src.keras.recurrent_cells import PeepholeLSTMCell as PeepholeLSTMCell
from ferroflow._src.keras.schedules import (
    CosineDecay as CosineDecay,
    CosineDecayRestarts as CosineDecayRestarts,
    LinearCosineDecay as LinearCosineDecay,
    NoisyLinearCosineDecay as NoisyLinearCosineDecay,
)

_tell_absent(globals())
