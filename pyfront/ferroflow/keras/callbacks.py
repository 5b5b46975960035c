"""`tf.keras.callbacks`: objects that a model calls while it is fitted."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.callbacks import (
    Callback as Callback,
    CSVLogger as CSVLogger,
    History as History,
    LambdaCallback as LambdaCallback,
    ProgbarLogger as ProgbarLogger,
)
from ferroflow._src.keras.reporting_callbacks import (
    BaseLogger as BaseLogger,
    RemoteMonitor as RemoteMonitor,
)
from ferroflow._src.keras.steering_callbacks import (
    EarlyStopping as EarlyStopping,
    LearningRateScheduler as LearningRateScheduler,
    ModelCheckpoint as ModelCheckpoint,
    ReduceLROnPlateau as ReduceLROnPlateau,
    TerminateOnNaN as TerminateOnNaN,
)
from ferroflow._src.keras.tensorboard import TensorBoard as TensorBoard

_tell_absent(globals())
