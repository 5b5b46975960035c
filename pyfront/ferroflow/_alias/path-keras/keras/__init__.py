"""`import keras` imports tf.keras in children of `ferroflow run`, if Keras is not installed."""

import importlib
import os
import sys

# Behind it, a Keras that is installed, or that the child has on its path, is the one to load.
_folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != _folder]
del sys.modules[__name__]
try:
    import ferroflow
except ModuleNotFoundError as missing:
    if missing.name != "ferroflow":
        raise
else:
    ferroflow.install_as_tensorflow()
importlib.import_module(__name__)
