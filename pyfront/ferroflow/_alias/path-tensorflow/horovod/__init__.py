"""`import horovod` imports ferroflow's in children of `ferroflow run`."""

import importlib
import os
import sys

try:
    import ferroflow
except ModuleNotFoundError as missing:
    if missing.name != "ferroflow":
        raise
    # A child with another Python, which has no ferroflow: it gets its own Horovod, if it has one.
    _folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != _folder]
    del sys.modules[__name__]
    importlib.import_module(__name__)
else:
    del sys.modules[__name__]
    ferroflow.install_as_tensorflow()
    sys.modules[__name__] = importlib.import_module("ferroflow.horovod")
