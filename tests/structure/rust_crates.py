"""Reads the dependencies of the workspace's crates from their Cargo.toml files, and finds what breaks the layers."""

import re
import sys
from collections.abc import Mapping, Set
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# `include!("../x.rs")` and `#[path = "../x.rs"]` could carry code past the dependencies.
_REACH = re.compile(r'(?:\binclude!\s*\(\s*|#\[\s*path\s*=\s*)"([^"]*)"')

_STD_LOCK = re.compile(r"std::sync::(?:\w+::)*(?:\{[^;]*?\b)?(?:Mutex|RwLock|Condvar|OnceLock|LazyLock|Once)\b")


def members(root: Path) -> dict[str, Path]:
    """Maps the crates of the workspace at `root` to their folders."""
    workspace = tomllib.loads((root / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]
    folders = [folder for pattern in workspace["members"] for folder in sorted(root.glob(pattern))]
    return {_manifest(folder)["package"]["name"]: folder for folder in folders}


def _manifest(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "Cargo.toml").read_text(encoding="utf-8"))


def dependencies(folder: Path) -> set[str]:
    """Names the packages that the crate in `folder` depends on: at run time, in tests, to build, or on some targets."""
    manifest = _manifest(folder)
    found = set()
    for table in [manifest, *manifest.get("target", {}).values()]:
        for kind in ("dependencies", "dev-dependencies", "build-dependencies"):
            for name, wanted in table.get(kind, {}).items():
                found.add(wanted.get("package", name) if isinstance(wanted, dict) else name)
    return found


def forbidden_dependencies(root: Path, allowed: Mapping[str, Set[str]]) -> list[str]:
    """Lists the dependencies between members that `allowed` does not have, and members it does not know."""
    crates = members(root)
    problems = [f"{crate} is in no layer" for crate in crates if crate not in allowed]
    for crate, folder in crates.items():
        wanted = dependencies(folder) & crates.keys()
        problems += [f"{crate} depends on {other}" for other in sorted(wanted - allowed.get(crate, set()))]
    return problems


def reserved_dependencies(root: Path, reserved: Mapping[str, Set[str]]) -> list[str]:
    """Lists the members that depend on a crate reserved for others."""
    return [
        f"{crate} depends on {name}"
        for crate, folder in members(root).items()
        for name in sorted(dependencies(folder) & reserved.keys())
        if crate not in reserved[name]
    ]


def code_from_outside(root: Path) -> list[str]:
    """Lists Rust files that compile a file outside their own crate."""
    problems = []
    for folder in members(root).values():
        for path in sorted(folder.rglob("*.rs")):
            for target in _REACH.findall(path.read_text(encoding="utf-8")):
                if not (path.parent / target).resolve().is_relative_to(folder.resolve()):
                    problems.append(f"{path.relative_to(root)} compiles {target}")
    return problems


def own_locks(root: Path, allowed: Set[str]) -> list[str]:
    """Lists source files that use the standard library's locks, which a fork can leave held, outside of tests."""
    problems = []
    for crate, folder in members(root).items():
        for path in sorted((folder / "src").rglob("*.rs")):
            code = path.read_text(encoding="utf-8").partition("#[cfg(test)]\nmod tests")[0]
            if crate not in allowed and path.name != "tests.rs" and _STD_LOCK.search(code):
                problems.append(str(path.relative_to(root)))
    return problems


def unsafe_allowed(root: Path) -> set[str]:
    """Lists the members whose library does not forbid unsafe code."""
    return {
        crate
        for crate, folder in members(root).items()
        if (folder / "src" / "lib.rs").is_file()
        and "#![forbid(unsafe_code)]" not in (folder / "src" / "lib.rs").read_text(encoding="utf-8")
    }
