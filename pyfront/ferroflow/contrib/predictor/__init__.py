"""`tf.contrib.predictor`: functions that SavedModels make."""

from ferroflow._src.saved_model.predictor import from_saved_model as from_saved_model
from ferroflow.contrib.predictor import predictor as predictor
from ferroflow.contrib.predictor import saved_model_predictor as saved_model_predictor
