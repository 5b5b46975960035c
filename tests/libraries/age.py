"""A plugin of pytest that gives back names that Python and NumPy have dropped, so that libraries of 2017 import.

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

for _owner, _name, _value in _DROPPED:
    if _value is not None and _name not in vars(_owner):
        setattr(_owner, _name, _value)
