"""`tf.saved_model.loader`: reading SavedModels."""

from ferroflow._src.saved_model.loader import load as load
from ferroflow._src.saved_model.loader import maybe_saved_model_directory as maybe_saved_model_directory
