"""Laws of the extension module's stub: it says what is there."""

from pathlib import Path

import pytest
from structure import core_stub

from ferroflow import _core

STUB = Path(__file__).resolve().parents[2] / "pyfront" / "ferroflow" / "_core.pyi"


def test_the_stub_has_the_names_and_parameters_of_the_module():
    assert core_stub.declared(STUB.read_text(encoding="utf-8")) == core_stub.present(_core)


def test_names_parameters_defaults_and_properties_are_read():
    source = """
x: int
def f(a, b=None, *rest): ...
class C:
    def __new__(cls, a: int) -> C: ...
    @property
    def p(self) -> int: ...
    def m(self, a, b: str = "") -> None: ...
"""
    assert core_stub.declared(source) == {
        "x": "value",
        "f": "a, b=None, *rest",
        "C": "class",
        "C.__new__": "a",
        "C.p": "property",
        "C.m": "a, b=''",
    }


def test_the_parameters_of_overloads_are_those_of_the_last():
    source = "@overload\ndef f(a, b): ...\n@overload\ndef f(a, b=1): ..."
    assert core_stub.declared(source) == {"f": "a, b=1"}


def test_overloads_with_other_parameters_are_refused():
    with pytest.raises(ValueError, match="overloads of f"):
        core_stub.declared("@overload\ndef f(a, b): ...\n@overload\ndef f(a, c): ...")


def test_the_module_is_read_down_to_its_members():
    found = core_stub.present(_core)
    assert found["Graph"] == "class"
    assert found["Graph.version"] == "property"
    assert found["Graph.add_node"] == "op, name, inputs, attrs=None, control_inputs=None, device=''"
    assert found["TensorHandle.__new__"] == "graph, node, index"
    assert found["op_info"] == "name"
