"""Prints the argument lists that TensorFlow 1.15 changed, for a table of TensorFlow 1.8's on standard input.

`make_api_goldens.py` runs this program with TensorFlow 1.15's interpreter.
"""

import inspect
import json
import sys

import tensorflow as tf
from tensorflow.python.util import tf_inspect


def default(value):
    """The default as TensorFlow's goldens write it."""
    text = str(value)
    return "{} instance>".format(text.split(" at ")[0]) if " at 0x" in text else text


def arguments(member):
    """The argument list of a callable; None if it has none that Python can read."""
    try:
        spec = tf_inspect.getfullargspec(member)
    except TypeError:
        return None
    found = {"args": spec.args}
    if spec.varargs:
        found["varargs"] = spec.varargs
    if spec.varkw:
        found["keywords"] = spec.varkw
    if spec.defaults:
        found["defaults"] = [default(value) for value in spec.defaults]
    return found


def main():
    changed = {}
    for path, entry in json.load(sys.stdin).items():
        owner = tf
        for part in path.split(".") if path else ():
            owner = getattr(owner, part, None)
        for name, kept in entry["members"].items():
            member = getattr(owner, name, None)
            if isinstance(kept, dict) and callable(member) and not inspect.isclass(member):
                found = arguments(member)
                if found is not None and found != kept:
                    changed.setdefault(path, {})[name] = found
    json.dump(changed, sys.stdout)


if __name__ == "__main__":
    main()
