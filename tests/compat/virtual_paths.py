"""Which paths of TensorFlow's modules are importable here."""

import importlib

from ferroflow.python import _table


def names_an_absent_function(path):
    """True if TensorFlow's package has a function in place of the module at the path, and ferroflow has none."""
    package, _, name = path.rpartition(".")
    return name in _table.functions(package) and not hasattr(importlib.import_module(f"ferroflow.{package}"), name)
