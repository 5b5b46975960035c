"""`tf.keras.optimizers`: how variables move with the gradients of a loss."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.optimizers import (
    SGD as SGD,
    Adadelta as Adadelta,
    Adagrad as Adagrad,
    Adam as Adam,
    Adamax as Adamax,
    Ftrl as Ftrl,
    Nadam as Nadam,
    Optimizer as Optimizer,
    RMSprop as RMSprop,
    deserialize as deserialize,
    get as get,
    serialize as serialize,
)
from ferroflow.keras.optimizers import schedules as schedules

_tell_absent(globals())
