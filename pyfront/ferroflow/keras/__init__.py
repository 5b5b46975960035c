"""`tf.keras`: models of layers, compiled with a loss and fitted to arrays."""

from ferroflow._src.keras.base_layer import Input as Input
from ferroflow._src.keras.model import Model as Model
from ferroflow._src.keras.model import Sequential as Sequential
from ferroflow.keras import activations as activations
from ferroflow.keras import backend as backend
from ferroflow.keras import callbacks as callbacks
from ferroflow.keras import datasets as datasets
from ferroflow.keras import initializers as initializers
from ferroflow.keras import layers as layers
from ferroflow.keras import losses as losses
from ferroflow.keras import metrics as metrics
from ferroflow.keras import models as models
from ferroflow.keras import optimizers as optimizers
from ferroflow.keras import preprocessing as preprocessing
from ferroflow.keras import regularizers as regularizers
from ferroflow.keras import utils as utils

__version__ = "2.1.5-tf"
