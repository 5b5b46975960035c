"""Laws of the public docstrings."""

import importlib
import pkgutil
from types import ModuleType

import pytest
from structure import docstrings

import ferroflow

FACADES = ["ferroflow"] + [
    f"ferroflow.{module.name}" for module in pkgutil.iter_modules(ferroflow.__path__) if not module.name.startswith("_")
]


@pytest.mark.parametrize("name", FACADES)
def test_every_public_function_and_class_opens_with_a_sentence(name):
    assert docstrings.undocumented(importlib.import_module(name), "ferroflow") == []


def test_the_check_reads_the_real_facades():
    assert {"ferroflow", "ferroflow.nn", "ferroflow.train"} <= set(FACADES)
    names = {name for name, _ in docstrings.public_objects(ferroflow, "ferroflow")}
    assert {"ferroflow.matmul", "ferroflow.Graph", "ferroflow.reduce_sum"} <= names


@pytest.mark.parametrize("docstring", [None, "", "Half a sentence", "A sentence, but\nno period\n\nMore."])
def test_a_missing_or_unfinished_sentence_is_found(docstring):
    module = ModuleType("ferroflow.made")
    module.f = lambda: None
    module.f.__module__ = "ferroflow.made"
    module.f.__doc__ = docstring
    assert docstrings.undocumented(module, "ferroflow") == ["ferroflow.made.f"]
    assert docstrings.undocumented(module, "another") == []
