"""Prints what the modules of an installed TensorFlow 1.15 hold, as JSON; run by `make_python_paths.py`.

    PYTHON_WITH_TENSORFLOW_1.15 tests/compat/module_table_of_tf115.py

For each module below `tensorflow.python` and `tensorflow.contrib`: the public names of what it defines, the
modules that it imports under which names, what a package has in place of a module of that name, and for modules of
operations the other functions in it.
"""

import importlib
import json
import logging
import os
import re
import sys
import types
import warnings

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)

# Modules whose names programs take all at once, from wherever they have them.
OPERATIONS = re.compile(r"python\.ops\.(?!gen_)\w+_ops")
PUBLIC = ("_tf_api_names_v1", "_tf_api_names", "_estimator_api_names_v1", "_keras_api_names_v1")
LEFT_OUT = ("/keras/api", "/testdata", "/examples")


def paths(root):
    for top in ("python", "contrib"):
        for folder, folders, files in os.walk(os.path.join(root, top)):
            folders.sort()
            if any(part in folder for part in LEFT_OUT):
                continue
            package = os.path.relpath(folder, root).replace(os.sep, ".")
            for file in sorted(files):
                if file.endswith(".py") and not file.endswith("_test.py"):
                    yield package if file == "__init__.py" else f"{package}.{file[:-3]}"


def without_root(name):
    for root in ("tensorflow_core.", "tensorflow."):
        if name.startswith(root):
            return name[len(root) :]
    return ""


def is_operation(found):
    """True for a function of TensorFlow's that makes operations: what `from module import *` is written for."""
    return isinstance(found, types.FunctionType) and without_root(found.__module__).startswith("python.ops.")


def main():
    import tensorflow_core

    known = set(paths(os.path.dirname(tensorflow_core.__file__)))
    table = {}
    for path in sorted(known):
        try:
            module = importlib.import_module("tensorflow." + path)
        except BaseException:
            table[path] = {}
            continue
        names, modules, functions, others = {}, {}, [], []
        for name, found in list(vars(module).items()):
            if name.startswith("__"):
                continue
            if isinstance(found, types.ModuleType):
                target = without_root(getattr(found, "__name__", ""))
                if target in known and target != f"{path}.{name}":
                    modules[name] = target
                continue
            if f"{path}.{name}" in known:
                functions.append(name)
            if without_root(str(getattr(found, "__module__", ""))) == path:
                public = next((found.__dict__[k] for k in PUBLIC if k in getattr(found, "__dict__", ())), ())
                if public:
                    names[name] = list(public)
            if OPERATIONS.fullmatch(path) and not name.startswith("_") and name not in names and is_operation(found):
                others.append(name)
        table[path] = {"names": names, "modules": modules, "functions": sorted(functions), "others": sorted(others)}
    json.dump(table, sys.stdout)


if __name__ == "__main__":
    main()
