"""`tf.keras.models`: layers put together."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.cloning import clone_model as clone_model
from ferroflow._src.keras.hdf5 import save_model as save_model
from ferroflow._src.keras.model import Model as Model
from ferroflow._src.keras.model_configurations import (
    model_from_config as model_from_config,
    model_from_json as model_from_json,
    model_from_yaml as model_from_yaml,
)
from ferroflow._src.keras.model_files import load_model as load_model
from ferroflow._src.keras.sequential import Sequential as Sequential

_tell_absent(globals())
