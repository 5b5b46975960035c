"""`tf.keras.losses`: losses of the examples of a batch."""

from ferroflow._src.keras.losses import KLD as KLD
from ferroflow._src.keras.losses import MAE as MAE
from ferroflow._src.keras.losses import MAPE as MAPE
from ferroflow._src.keras.losses import MSE as MSE
from ferroflow._src.keras.losses import MSLE as MSLE
from ferroflow._src.keras.losses import binary_crossentropy as binary_crossentropy
from ferroflow._src.keras.losses import categorical_crossentropy as categorical_crossentropy
from ferroflow._src.keras.losses import categorical_hinge as categorical_hinge
from ferroflow._src.keras.losses import cosine as cosine
from ferroflow._src.keras.losses import cosine_proximity as cosine_proximity
from ferroflow._src.keras.losses import get as get
from ferroflow._src.keras.losses import hinge as hinge
from ferroflow._src.keras.losses import kld as kld
from ferroflow._src.keras.losses import kullback_leibler_divergence as kullback_leibler_divergence
from ferroflow._src.keras.losses import logcosh as logcosh
from ferroflow._src.keras.losses import mae as mae
from ferroflow._src.keras.losses import mape as mape
from ferroflow._src.keras.losses import mean_absolute_error as mean_absolute_error
from ferroflow._src.keras.losses import mean_absolute_percentage_error as mean_absolute_percentage_error
from ferroflow._src.keras.losses import mean_squared_error as mean_squared_error
from ferroflow._src.keras.losses import mean_squared_logarithmic_error as mean_squared_logarithmic_error
from ferroflow._src.keras.losses import mse as mse
from ferroflow._src.keras.losses import msle as msle
from ferroflow._src.keras.losses import poisson as poisson
from ferroflow._src.keras.losses import sparse_categorical_crossentropy as sparse_categorical_crossentropy
from ferroflow._src.keras.losses import squared_hinge as squared_hinge
