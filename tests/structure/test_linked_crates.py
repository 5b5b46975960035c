"""Laws of what is shipped with a release: its licences, its versions, and what may be linked."""

from pathlib import Path

import pytest
from structure import linked_crates
from structure.rust_crates import tomllib

ROOT = Path(__file__).resolve().parents[2]
NAMED = linked_crates.named((ROOT / "THIRD_PARTY_LICENSES.txt").read_text(encoding="utf-8"))


def toml(name):
    return tomllib.loads((ROOT / name).read_text(encoding="utf-8"))


@pytest.mark.skipif(not linked_crates.cargo_runs(), reason="cargo lists what is linked, and does not run here")
def test_the_licence_of_every_linked_package_is_shipped():
    assert linked_crates.linked(ROOT) - NAMED == set(), "make licenses"


def test_licences_are_of_the_locked_versions():
    assert NAMED - linked_crates.locked(toml("Cargo.lock")) == set(), "make licenses"


def test_the_list_of_licences_is_read():
    assert {name for name, _ in NAMED} >= {"pyo3", "gemm", "rustfft"}
    assert linked_crates.named("a-b 1.0.0+c (https://d): MIT\nc 1: \n\n====\nd 2: MIT\n") == {("a-b", "1.0.0+c")}


def test_what_is_collected_is_what_is_allowed():
    about, deny = toml("about.toml"), toml("deny.toml")
    assert about["accepted"] == deny["licenses"]["allow"]
    assert about["targets"] == deny["graph"]["targets"]


def test_both_packages_have_one_version():
    assert toml("pyproject.toml")["project"]["version"] == toml("Cargo.toml")["workspace"]["package"]["version"]
