"""A plugin of pytest for the runs on TensorFlow 1.15.5: it gives back names that earlier versions have.

Each line of the variable GIVEN_BACK is `name = the name of what stands for it`; libraries.toml lists them.
"""

import importlib
import os


def _found(name):
    """Returns the module and the last part of a dotted name."""
    module, _, attribute = name.strip().rpartition(".")
    return importlib.import_module(module), attribute


for _line in os.environ["GIVEN_BACK"].splitlines():
    _dropped, _, _other = _line.partition("=")
    setattr(*_found(_dropped), getattr(*_found(_other)))
