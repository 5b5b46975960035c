"""`tf.keras.optimizers`: how variables move with the gradients of a loss."""

from ferroflow._src.keras.optimizers import SGD as SGD
from ferroflow._src.keras.optimizers import Adadelta as Adadelta
from ferroflow._src.keras.optimizers import Adagrad as Adagrad
from ferroflow._src.keras.optimizers import Adam as Adam
from ferroflow._src.keras.optimizers import Adamax as Adamax
from ferroflow._src.keras.optimizers import Optimizer as Optimizer
from ferroflow._src.keras.optimizers import RMSprop as RMSprop
from ferroflow._src.keras.optimizers import get as get
