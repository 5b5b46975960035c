"""`tf.keras.optimizers`: how variables move with the gradients of a loss."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.descent_optimizers import (
    SGD as SGD,
    Adadelta as Adadelta,
    Adagrad as Adagrad,
    Ftrl as Ftrl,
    RMSprop as RMSprop,
)
from ferroflow._src.keras.moment_optimizers import Adam as Adam, Adamax as Adamax, Nadam as Nadam
from ferroflow._src.keras.optimizer_base import Optimizer as Optimizer
from ferroflow._src.keras.optimizers import (
    deserialize as deserialize,
    get as get,
    serialize as serialize,
)
from ferroflow.keras.optimizers import schedules as schedules

_tell_absent(globals())
