"""`tf.keras.backend`: what models share."""

from ferroflow._src.keras.backend import batch_get_value as batch_get_value
from ferroflow._src.keras.backend import batch_set_value as batch_set_value
from ferroflow._src.keras.backend import clear_session as clear_session
from ferroflow._src.keras.backend import epsilon as epsilon
from ferroflow._src.keras.backend import get_session as get_session
from ferroflow._src.keras.backend import get_value as get_value
from ferroflow._src.keras.backend import int_shape as int_shape
from ferroflow._src.keras.backend import learning_phase as learning_phase
from ferroflow._src.keras.backend import set_learning_phase as set_learning_phase
from ferroflow._src.keras.backend import set_session as set_session
from ferroflow._src.keras.backend import set_value as set_value
