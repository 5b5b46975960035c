"""`tf.keras.callbacks`: what is called while a model is fitted."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.callbacks import (
    Callback as Callback,
    CSVLogger as CSVLogger,
    EarlyStopping as EarlyStopping,
    History as History,
    LambdaCallback as LambdaCallback,
    LearningRateScheduler as LearningRateScheduler,
    ModelCheckpoint as ModelCheckpoint,
    ProgbarLogger as ProgbarLogger,
    ReduceLROnPlateau as ReduceLROnPlateau,
    TerminateOnNaN as TerminateOnNaN,
)
from ferroflow._src.keras.tensorboard import TensorBoard as TensorBoard

_tell_absent(globals())
