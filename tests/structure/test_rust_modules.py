"""Laws of the modules in planning, execution and clusters, and of the checks that find what breaks them."""

import re
from pathlib import Path

import pytest
from structure import layers, rust_modules

from ferroflow import _core

_OWN_OP = re.compile("_[A-Z]")
RUST = Path(__file__).resolve().parents[2] / "rust"


@pytest.mark.parametrize("crate", sorted(layers.MODULE_CIRCLES))
def test_modules_close_only_the_listed_circles(crate):
    found = rust_modules.circles(rust_modules.uses(RUST / crate / "src"))
    assert found == sorted((frozenset(circle) for circle in layers.MODULE_CIRCLES[crate]), key=sorted)


def test_no_listed_circle_has_more_than_three_modules():
    circles = {(crate, circle) for crate, listed in layers.MODULE_CIRCLES.items() for circle in listed}
    assert {(crate, circle) for crate, circle in circles if len(circle) > 3} == set()


def _op_names(crate):
    """The op names among the texts in a crate's code; those of the engine's own ops begin with an underscore."""
    known = set(_core.op_names())
    assert {"MatMul", "Identity", "NoOp"} <= known
    return [found for found in rust_modules.texts(RUST / crate / "src") if found[1] in known or _OWN_OP.match(found[1])]


@pytest.mark.parametrize("crate", ["plan", "runtime"])
def test_the_engine_knows_no_op_by_name(crate):
    assert _op_names(crate) == []


def test_names_of_ops_are_found_where_they_are():
    assert {"Const", "_Send"} <= {text for _, text in _op_names("graph")}


@pytest.mark.parametrize("crate", ["plan", "runtime", "cluster"])
def test_no_function_of_the_engine_is_long(crate):
    assert rust_modules.long_functions(RUST / crate / "src", 70) == []


@pytest.mark.parametrize("crate", sorted(path.parent.name for path in RUST.glob("*/src")))
def test_no_function_has_two_arguments_that_are_bools(crate):
    allowed = layers.ROWS_OF_BOOLS
    assert [found for found in rust_modules.rows_of_bools(RUST / crate / "src") if (crate, found) not in allowed] == []


def test_arguments_that_are_bools_are_found(source):
    root = source(
        {
            "lib.rs": "fn a(x: bool, f: impl Fn(u8, bool)) {}\nfn b<T: Fn(bool)>(&self, x: bool,\n  y: bool) {}\n",
            "c.rs": "fn c((x, y): (bool, bool), z: bool) {}\n#[cfg(test)]\nmod tests {\nfn d(x: bool, y: bool) {}\n}",
        }
    )
    assert rust_modules.rows_of_bools(root) == ["::b"]


@pytest.fixture
def source(tmp_path):
    """Writes the files of a crate, given by their paths below `src`."""

    def write(files):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path

    return write


def test_uses_are_found_in_every_spelling(source):
    root = source(
        {
            "lib.rs": "mod a;\nmod b;\npub use a::A;\n",
            "a.rs": "use crate::{b::c::{C, D as E}, Top};\nuse std::sync::Arc;\n",
            "b/mod.rs": "mod c;\nuse c::C;\n",
            "b/c.rs": "use super::super::a::A;\nfn f() -> crate::b::X { super::g() }\n",
        }
    )
    assert rust_modules.uses(root) == {"": {"a"}, "a": {"b::c"}, "b": {"b::c"}, "b::c": {"a", "b"}}


def test_circles_are_found():
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a", "e"}, "e": {"d"}, "f": {"a"}}
    assert rust_modules.circles(graph) == [frozenset("abc"), frozenset("de")]


def test_tests_and_comments_use_nothing(source):
    root = source(
        {
            "lib.rs": "mod a;\nmod b;\n",
            "a.rs": "// use crate::b::B;\nfn f() {}\n#[cfg(test)]\nmod tests {\n"
            '    use crate::b::B;\n    const X: &str = "NoOp";\n}\n',
            "b.rs": "use crate::a::f;\n",
        }
    )
    assert rust_modules.uses(root)["a"] == set()
    assert list(rust_modules.texts(root)) == []


def test_a_long_function_is_found(source):
    body = "    x();\n" * 10
    root = source({"lib.rs": f"fn short() {{\n    x();\n}}\npub(crate) fn long() {{\n{body}}}\n"})
    assert rust_modules.long_functions(root, 10) == ["::long has 12 lines"]
