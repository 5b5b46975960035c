"""Laws of the Rust crates' dependencies, and of the checks that find what breaks them."""

from pathlib import Path

import pytest
from structure import layers, rust_crates

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def workspace(tmp_path):
    """Writes a workspace of crates given by name and the text of their manifests after `[package]`."""

    def write(**manifests):
        (tmp_path / "Cargo.toml").write_text('[workspace]\nmembers = ["rust/*"]\n', encoding="utf-8")
        for name, text in manifests.items():
            (tmp_path / "rust" / name / "src").mkdir(parents=True)
            (tmp_path / "rust" / name / "Cargo.toml").write_text(
                f'[package]\nname = "{name}"\n{text}\n', encoding="utf-8"
            )
            (tmp_path / "rust" / name / "src" / "lib.rs").write_text("//! A crate.\n", encoding="utf-8")
        return tmp_path

    return write


def test_crates_depend_on_lower_crates_only():
    assert rust_crates.forbidden_dependencies(ROOT, layers.RUST_LAYERS) == []


@pytest.mark.parametrize("upper", ["ferroflow-plan", "ferroflow-runtime"])
def test_ops_and_what_runs_them_never_see_each_other(upper):
    crates = rust_crates.members(ROOT)
    assert upper not in rust_crates.dependencies(crates["ferroflow-ops"])
    assert "ferroflow-ops" not in rust_crates.dependencies(crates[upper])
    assert upper not in layers.RUST_LAYERS["ferroflow-ops"]
    assert "ferroflow-ops" not in layers.RUST_LAYERS[upper]


def test_only_the_binding_knows_python():
    assert rust_crates.reserved_dependencies(ROOT, layers.RESERVED_CRATES) == []
    assert "pyo3" in rust_crates.dependencies(rust_crates.members(ROOT)["ferroflow-python"])


def test_no_crate_compiles_the_files_of_another():
    assert rust_crates.code_from_outside(ROOT) == []


def test_locks_stay_usable_after_a_fork():
    assert rust_crates.own_locks(ROOT, {"ferroflow-sync"}) == []


@pytest.mark.parametrize("use", ["use std::sync::{Arc, Mutex};", "static A: std::sync::OnceLock<u8> = f();"])
def test_a_lock_of_the_standard_library_is_found(workspace, use):
    root = workspace(low="")
    (root / "rust/low/src/lib.rs").write_text(f"//! A crate.\n{use}\n")
    assert rust_crates.own_locks(root, set()) == ["rust/low/src/lib.rs"]
    assert rust_crates.own_locks(root, {"low"}) == []
    (root / "rust/low/src/lib.rs").write_text(f"use std::sync::Arc;\n#[cfg(test)]\nmod tests {{ {use} }}\n")
    assert rust_crates.own_locks(root, set()) == []


def test_crates_without_unsafe_code_forbid_it():
    assert rust_crates.unsafe_allowed(ROOT) <= layers.CRATES_WITH_UNSAFE


def test_the_layers_of_the_crates_close_no_cycle():
    placed = set()
    for crate, below in layers.RUST_LAYERS.items():
        assert below <= placed, crate
        placed.add(crate)


@pytest.mark.parametrize(
    "manifest",
    [
        "[dependencies]\nhigh.workspace = true",
        '[dependencies]\nhigh = { path = "../high" }',
        '[dependencies]\nlofty = { package = "high", path = "../high" }',
        "[dev-dependencies]\nhigh.workspace = true",
        "[build-dependencies]\nhigh.workspace = true",
        "[target.'cfg(unix)'.dependencies]\nhigh.workspace = true",
    ],
)
def test_an_upward_dependency_is_found(workspace, manifest):
    root = workspace(low=manifest, high="[dependencies]\nlow.workspace = true")
    assert rust_crates.forbidden_dependencies(root, {"low": set(), "high": {"low"}}) == ["low depends on high"]


def test_a_crate_without_a_layer_is_found(workspace):
    root = workspace(low="", stray="[dependencies]\nlow.workspace = true")
    assert rust_crates.forbidden_dependencies(root, {"low": set()}) == ["stray is in no layer", "stray depends on low"]


def test_a_reserved_crate_is_found(workspace):
    root = workspace(low='[dependencies]\npyo3 = "1"', binding='[dependencies]\npyo3 = "1"')
    assert rust_crates.reserved_dependencies(root, {"pyo3": {"binding"}}) == ["low depends on pyo3"]


@pytest.mark.parametrize("line", ['include!("../../high/src/lib.rs");', '#[path = "../../high/src/lib.rs"]\nmod high;'])
def test_code_of_another_crate_is_found(workspace, line):
    root = workspace(low="", high="")
    (root / "rust/low/src/lib.rs").write_text(f"//! A crate.\n{line}\n", encoding="utf-8")
    (found,) = rust_crates.code_from_outside(root)
    assert found.startswith("rust/low/src/lib.rs compiles ")


def test_code_of_the_crate_itself_may_be_included(workspace):
    root = workspace(low="")
    (root / "rust/low/src/lib.rs").write_text(
        '//! A crate.\n#[path = "../tests/shared.rs"]\nmod shared;\n', encoding="utf-8"
    )
    assert rust_crates.code_from_outside(root) == []


def test_the_release_build_checks_the_arithmetic_on_shapes():
    manifest = rust_crates.tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    profiles = manifest["profile"]["release"]["package"]
    checked = {crate for crate, profile in profiles.items() if profile.get("overflow-checks")}
    assert checked == {
        f"ferroflow-{layer}"
        for layer in ("cluster", "collective", "graph", "graph-def", "input", "io", "ops", "plan", "runtime")
    }
