"""`tf.keras.optimizers.schedules`: learning rates that change with the step."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.schedules import (
    ExponentialDecay as ExponentialDecay,
    InverseTimeDecay as InverseTimeDecay,
    LearningRateSchedule as LearningRateSchedule,
    PiecewiseConstantDecay as PiecewiseConstantDecay,
    PolynomialDecay as PolynomialDecay,
    deserialize as deserialize,
    serialize as serialize,
)

_tell_absent(globals())
