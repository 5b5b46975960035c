"""A plugin of pytest for one test file of `tensorflow/contrib`.

It writes one line of JSON for each finished test, so that a crash or a time limit keeps what ended before.
It also loads the helper modules that lie beside the tests in TensorFlow's sources, which no installed package has.

Environment: `CONTRIB_SOURCE`: the folder that holds `tensorflow`; `CONTRIB_EVENTS`: the file of the lines.
It runs on Python 3.7 too, where TensorFlow 1.15 runs.
"""

import functools
import importlib
import importlib.machinery
import importlib.util
import json
import os
import re
import sys

_SOURCE = os.environ["CONTRIB_SOURCE"]
_EVENTS = os.environ["CONTRIB_EVENTS"]
_TEST_FOLDERS = ("kernel_tests", "tests")
_HELPERS = re.compile(r"(_test|test_utils?|_test_base|testing_common|test_data|benchmarking)$")
_LOADED = re.compile(r"(test_utils?|testing_common|test_data|benchmarking)\.py$")


class SourceHelpers:
    """Finds a test's helper modules under `tensorflow.contrib`, and the packages of tests that contain them."""

    def find_spec(self, name, path=None, target=None):
        parts = name.split(".")
        # The alias gives packages ferroflow's names, under which their missing modules are searched.
        if parts[0] not in ("tensorflow", "ferroflow") or parts[1:2] != ["contrib"] or len(parts) < 4:
            return None
        place = os.path.join(_SOURCE, "tensorflow", *parts[1:])
        in_tests = any(part in _TEST_FOLDERS for part in parts)
        if in_tests and os.path.isdir(place):
            spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations = [place]
            return spec
        if (in_tests or _HELPERS.search(parts[-1])) and os.path.isfile(place + ".py"):
            return importlib.util.spec_from_file_location(name, place + ".py")
        return None


# Before the alias, whose finder has empty modules for some of these names.
sys.meta_path.insert(0, SourceHelpers())


def pytest_configure(config):
    """Loads the helper modules of the test's package, which the alias would find as attributes of its packages."""
    for folder, _, files in os.walk(os.path.join(_SOURCE, "tensorflow", "contrib", os.environ["CONTRIB_PACKAGE"])):
        for file in files:
            if _LOADED.search(file):
                path = os.path.relpath(os.path.join(folder, file[:-3]), _SOURCE)
                _load(path.replace(os.sep, "."), os.path.join(folder, file))
    if os.environ["CONTRIB_PACKAGE"] in ("learn", "tensor_forest"):
        _give_boston()


def _give_boston():
    """Makes `load_boston` read the data beside TensorFlow's sources, as the library has none of its own."""
    base = importlib.import_module("tensorflow.contrib.learn.python.learn.datasets.base")
    package = importlib.import_module("tensorflow.contrib.learn.python.learn.datasets")
    path = os.path.join(_SOURCE, "tensorflow/contrib/learn/python/learn/datasets/data/boston_house_prices.csv")
    base.load_boston = package.load_boston = package.DATASETS["boston"] = functools.partial(base.load_boston, path)


def _load(name, file):
    parent = name.rpartition(".")[0]
    try:
        package = importlib.import_module(parent)
        spec = importlib.util.spec_from_file_location(name, file)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    except Exception as failure:  # the tests that need it fail by themselves, and say why
        sys.modules.pop(name, None)
        print("cannot load", name, failure)
    else:
        setattr(package, name.rpartition(".")[2], module)


def _write(**event):
    with open(_EVENTS, "a") as lines:
        lines.write(json.dumps(event) + "\n")


def _message(report):
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash is not None else str(report.longrepr)
    return " ".join(text.split())[:400]


def pytest_collectreport(report):
    if report.failed:
        lines = [line for line in str(report.longrepr).splitlines() if line.startswith("E ")]
        _write(test="", outcome="not collected", message=" ".join(" ".join(lines[-1:]).split())[:400])


def pytest_runtest_logreport(report):
    name = report.nodeid.partition("::")[2].replace("::", ".")
    if name.endswith(".test_session"):  # tf.test.TestCase's method, not a test
        return
    if report.skipped:
        _write(test=name, outcome="skipped", message=_message(report))
    elif report.failed:
        _write(test=name, outcome="failed", message=_message(report), where=str(report.longrepr)[-1500:])
    elif report.when == "call":
        _write(test=name, outcome="passed")
