"""A plugin of pytest that gives back what Python, NumPy, h5py and PyYAML have dropped since 2017.

It touches no name of TensorFlow: what fails with it is the library's age elsewhere, or ferroflow.
"""

import collections
import collections.abc
import fractions
import inspect
import math
import time
import unittest

import numpy as np

_ArgSpec = collections.namedtuple("_ArgSpec", "args varargs keywords defaults")


def _getargspec(function):
    found = inspect.getfullargspec(function)
    return _ArgSpec(found.args, found.varargs, found.varkw, found.defaults)


# The owner of a name, the name, what stands for it.
_DROPPED = [
    *((collections, name, getattr(collections.abc, name)) for name in collections.abc.__all__),  # Python 3.10
    (inspect, "getargspec", _getargspec),  # Python 3.11
    (time, "clock", time.perf_counter),  # Python 3.8
    (fractions, "gcd", math.gcd),  # Python 3.9
    # Python 3.12
    (unittest.TestCase, "assertItemsEqual", unittest.TestCase.assertCountEqual),
    (unittest.TestCase, "assertRaisesRegexp", unittest.TestCase.assertRaisesRegex),
    (unittest.TestCase, "assertRegexpMatches", unittest.TestCase.assertRegex),
    (unittest.TestCase, "assertEquals", unittest.TestCase.assertEqual),
    (unittest.TestCase, "assertNotEquals", unittest.TestCase.assertNotEqual),
    # NumPy 1.24
    *((np, kind.__name__, kind) for kind in (bool, int, float, complex, object, str)),
    (np, "long", int),
    (np, "unicode", str),
    (np, "typeDict", getattr(np, "sctypeDict", None)),
]


def _bytes_of_ascii(read):
    """Returns `h5py.AttributeManager.__getitem__` of h5py 2: ASCII text is bytes, a list of it an array of bytes."""

    def getitem(self, name):
        value = read(self, name)
        kind = self.get_id(name).get_type()
        if not isinstance(kind, h5py.h5t.TypeStringID) or kind.get_cset() != h5py.h5t.CSET_ASCII:
            return value
        if isinstance(value, str):
            return value.encode()
        if isinstance(value, np.ndarray) and value.dtype == object:
            return np.array([text.encode() for text in value.ravel()]).reshape(value.shape)
        return value

    return getitem


def _appending(init):
    """Returns `h5py.File.__init__` of h5py 2, which opens files to read and write."""

    def opening(self, name, mode="a", *args, **kwargs):
        init(self, name, mode, *args, **kwargs)

    return opening


try:
    import h5py
except ImportError:
    pass
else:
    if h5py.version.version_tuple.major >= 3:
        h5py.AttributeManager.__getitem__ = _bytes_of_ascii(h5py.AttributeManager.__getitem__)
        h5py.File.__init__ = _appending(h5py.File.__init__)
        h5py.File.fid = h5py.File.id

try:
    import yaml
except ImportError:
    pass
else:
    if inspect.signature(yaml.load).parameters["Loader"].default is inspect.Parameter.empty:  # PyYAML 6

        def _load(stream, Loader=yaml.Loader, load=yaml.load):
            return load(stream, Loader)

        yaml.load = _load

for _owner, _name, _value in _DROPPED:
    if _value is not None and _name not in vars(_owner):
        setattr(_owner, _name, _value)
