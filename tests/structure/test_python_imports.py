"""Laws of the Python package's imports, and of the checks that find what breaks them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from structure import layers, python_imports
from structure.rust_crates import tomllib

ROOT = Path(__file__).resolve().parents[2]
PYFRONT = ROOT / "pyfront"
# The modules of distributions that have other names than they.
MODULES = {"absl-py": "absl", "protobuf": "google"}
# A program, and what needs an extra.
NOT_IMPORTABLE = {"ferroflow.__main__", "ferroflow.command_line.launching.on_ray"}
TWO_LAYERS = (("low",), ("left", "right"))


@pytest.fixture
def package(tmp_path):
    """Writes modules of a package `ferroflow` given by path and source; returns the folder that holds it."""

    def write(**sources):
        for name, source in sources.items():
            path = tmp_path / "ferroflow" / (name.replace("__", "/").replace("/init/", "__init__") + ".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(source, encoding="utf-8")
        return tmp_path

    return write


def test_every_module_belongs_to_a_layer():
    assert python_imports.unlisted_modules(PYFRONT, layers.PYTHON_LAYERS) == []


def test_every_layer_is_there_and_the_architecture_names_it():
    listed = {name for names in layers.PYTHON_LAYERS for name in names}
    assert {name for name in listed if not list((PYFRONT / "ferroflow" / "_src").glob(f"{name}*"))} == set()
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    lines = page[page.index("base -> framework") : page.index("  command_line/")]
    assert set(re.findall(r"\w+", lines)) == listed


def test_imports_go_down_the_layers():
    assert python_imports.upward_imports(PYFRONT, layers.PYTHON_LAYERS) == []


def test_what_only_contrib_reaches_is_in_the_folder_of_contrib():
    assert python_imports.reached_by_contrib_alone(PYFRONT) == []


def test_imports_are_at_the_top_of_modules_but_for_the_listed_ones():
    refused, unused = python_imports.late_imports(PYFRONT, layers.LATE_IMPORTS)
    assert refused == []
    assert unused == []


def test_every_late_import_has_a_reason():
    assert all(reason.strip() for reason in layers.LATE_IMPORTS.values())


def test_what_is_imported_is_installed_with_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [
        *project["dependencies"],
        *(asked for extra in project["optional-dependencies"].values() for asked in extra),
    ]
    names = [re.match(r"[\w.-]+", requirement).group() for requirement in asked]
    assert python_imports.undeclared_imports(PYFRONT, {MODULES.get(name, name) for name in names}) == []


def test_every_module_can_be_imported_where_python_keeps_no_docstrings():
    modules = [name for name in python_imports.module_files(PYFRONT) if name not in NOT_IMPORTABLE]
    program = "import importlib, sys\nfor name in sys.argv[1:]: importlib.import_module(name)"
    subprocess.run([sys.executable, "-OO", "-c", program, *modules], check=True)


@pytest.mark.parametrize("by_member", [False, True])
def test_imports_close_no_cycle(by_member):
    assert python_imports.cycles(PYFRONT, by_member) == []


def test_in_the_framework_only_handles_name_a_type_of_a_module_above():
    """`Operation.graph` is a Graph; everything else that handles need of it is in `GraphHandles`, below."""
    framework = "ferroflow._src.framework."
    found = {
        (i.importer.removeprefix(framework), i.imported.removeprefix(framework))
        for i in python_imports.imports(PYFRONT)
        if i.for_types and i.importer.startswith(framework) and i.imported.startswith(framework)
    }
    assert found == {("handles", "graph")}


def test_the_checks_read_the_real_package():
    modules = python_imports.module_files(PYFRONT)
    assert "ferroflow._src.base.dtypes" in modules
    assert any(
        found.importer == "ferroflow._src.base.tensor_content" and found.imported == "ferroflow._src.base.dtypes"
        for found in python_imports.imports(PYFRONT)
    )


def test_an_unlisted_module_is_found(package):
    root = package(_src__low__a="", _src__stray="", _src__other__b="")
    assert python_imports.unlisted_modules(root, TWO_LAYERS) == ["ferroflow._src.other.b", "ferroflow._src.stray"]


@pytest.mark.parametrize(
    "statement",
    [
        "from ferroflow._src.right import b",
        "from ferroflow._src.right.b import name",
        "import ferroflow._src.right.b",
        "from ..right import b",
        "from .. import right",
        "if TYPE_CHECKING:\n    from ferroflow._src.right import b",
        "def f():\n    from ferroflow._src.right import b",
        "import importlib\nimportlib.import_module('ferroflow._src.right.b')",
        "import ferroflow",
        "from ferroflow import train",
        "import ferroflow.train",
    ],
)
def test_an_upward_import_is_found(package, statement):
    root = package(_src__low__a=statement, _src__right____init__="", _src__right__b="", train="", __init__="")
    (found,) = python_imports.upward_imports(root, TWO_LAYERS)
    assert found.startswith("ferroflow._src.low.a:")


@pytest.mark.parametrize(
    "statement",
    [
        "from ferroflow._src.low import a",
        "from ferroflow._src.left import c",
        "from ferroflow import _core",
        "from ferroflow._core import Graph",
        "import numpy",
    ],
)
def test_imports_downward_and_within_a_layer_are_free(package, statement):
    root = package(
        _src__low__a="", _src__left__c="", _src__right__b=statement, __init__="from ferroflow._src.right import b"
    )
    assert python_imports.upward_imports(root, TWO_LAYERS) == []


def test_modules_that_contrib_alone_reaches_are_found(package):
    root = package(
        __init__="from ferroflow import train",
        train="from ferroflow._src.low import shared",
        python="TABLE = {'ops.cells': ('left.internal', 'cell')}",
        contrib____init__="from ferroflow._src.low import shared\nfrom ferroflow._src.right import deep",
        contrib__opt="from ferroflow._src.contrib.opt import rule\nTABLE = ('ferroflow._src.left.named',)",
        _src__contrib__opt="def rule(): ...",
        _src__left__internal="",
        _src__left__named="",
        _src__low__shared="",
        _src__right__deep="from ferroflow._src.right.deeper import f\nfrom ferroflow._src.left import internal",
        _src__right__deeper="def f(): ...",
    )
    assert python_imports.reached_by_contrib_alone(root) == [
        f"ferroflow._src.{name}" for name in ("left.named", "right.deep", "right.deeper")
    ]


@pytest.mark.parametrize(
    ("source", "imported"),
    [
        ("def f():\n    import json", "json"),
        ("class C:\n    def f(self):\n        from ferroflow._src.low import b", "ferroflow._src.low.b"),
        ("async def f():\n    from json import loads", "json.loads"),
        ("f = lambda: __import__('json')", "json"),
        ("import importlib\nimportlib.import_module('json')", "json"),
        ("import importlib\ndef f(name):\n    importlib.import_module(name)", "a computed name"),
    ],
)
def test_a_late_import_is_found_unless_allowed(package, source, imported):
    root = package(_src__low__a=source, _src__low__b="")
    module = "ferroflow._src.low.a"
    (refused,), unused = python_imports.late_imports(root, {})
    assert refused.startswith(module)
    assert refused.endswith(imported)
    assert unused == []
    assert python_imports.late_imports(root, {(module, imported): "reason"}) == ([], [])


def test_a_permission_that_nothing_uses_is_found(package):
    root = package(_src__low__a="import json\nif True:\n    import re")
    refused, unused = python_imports.late_imports(root, {("ferroflow._src.low.a", "json"): "reason"})
    assert refused == []
    assert unused == ["ferroflow._src.low.a imports json"]


def test_a_cycle_of_modules_is_found(package):
    root = package(
        _src__low__a="from ferroflow._src.low import b",
        _src__low__b="from ferroflow._src.low.c import x",
        _src__low__c="from . import a",
        _src__low__d="from . import a",
    )
    (cycle,) = python_imports.cycles(root)
    assert cycle == " -> ".join(f"ferroflow._src.low.{name}" for name in "abca")
    assert python_imports.cycles(root, by_member=True) == []


def test_a_cycle_that_only_type_checkers_see_is_none_between_modules_and_one_between_members(package):
    for_types = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    "
    root = package(
        _src__left__a="from ferroflow._src.left import b\nfrom ferroflow._src.right import c",
        _src__left__b=for_types + "from ferroflow._src.left import a",
        _src__right__c=for_types + "from ferroflow._src.left import a",
    )
    assert python_imports.cycles(root) == []
    assert python_imports.cycles(root, by_member=True) == ["left -> right -> left"]


def test_a_cycle_of_members_is_found(package):
    root = package(
        _src__left__a="from ferroflow._src.right import c",
        _src__left__b="",
        _src__right__c="",
        _src__right__d="from ..left import b",
    )
    assert python_imports.cycles(root) == []
    assert python_imports.cycles(root, by_member=True) == ["left -> right -> left"]


def test_an_import_of_what_nobody_asked_for_is_found(package):
    root = package(
        a="import os\nimport numpy.linalg\nfrom extensions.sub import thing\n",
        b="from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import extensions\n",
        c="def f():\n    import extensions\n",
    )
    assert python_imports.undeclared_imports(root, {"numpy"}) == ["ferroflow.a:3 imports extensions.sub.thing"]
