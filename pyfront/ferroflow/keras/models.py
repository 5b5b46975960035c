"""`tf.keras.models`: layers put together."""

from ferroflow._src.keras.model import Model as Model
from ferroflow._src.keras.model import Sequential as Sequential
