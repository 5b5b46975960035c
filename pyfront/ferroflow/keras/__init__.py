"""`tf.keras`: models of layers, compiled with a loss and fitted to arrays."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.input_layer import Input as Input
from ferroflow._src.keras.model import Model as Model
from ferroflow._src.keras.sequential import Sequential as Sequential
from ferroflow.keras import (
    activations as activations,
    applications as applications,
    backend as backend,
    callbacks as callbacks,
    constraints as constraints,
    datasets as datasets,
    estimator as estimator,
    experimental as experimental,
    initializers as initializers,
    layers as layers,
    losses as losses,
    metrics as metrics,
    mixed_precision as mixed_precision,
    models as models,
    optimizers as optimizers,
    preprocessing as preprocessing,
    regularizers as regularizers,
    utils as utils,
    wrappers as wrappers,
)

__version__ = "2.2.4-tf"

_tell_absent(globals())
