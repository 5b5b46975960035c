"""`tf.keras.callbacks`: what is called while a model is fitted."""

from ferroflow._src.keras.callbacks import Callback as Callback
from ferroflow._src.keras.callbacks import EarlyStopping as EarlyStopping
from ferroflow._src.keras.callbacks import History as History
from ferroflow._src.keras.callbacks import ModelCheckpoint as ModelCheckpoint
from ferroflow._src.keras.callbacks import ReduceLROnPlateau as ReduceLROnPlateau
from ferroflow._src.keras.callbacks import TensorBoard as TensorBoard
