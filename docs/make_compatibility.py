"""Writes docs/compatibility.md from the op registry, the gradient rules and the public modules.

`python docs/make_compatibility.py` writes the page; with `--check` it fails if the page is stale.
"""

from __future__ import annotations

import pathlib
import sys
from typing import Any

import ferroflow as tf
from ferroflow import _core
from ferroflow._src.base.dtypes import as_dtype
from ferroflow._src.framework import gradient_registry

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "compatibility.md"
UNIT_TESTS = ROOT / "docs" / "unit_tests.md"
CONTRIB_TESTS = ROOT / "docs" / "contrib_tests.md"
LIBRARIES = ROOT / "docs" / "libraries.md"
REPOSITORIES = ROOT / "docs" / "repositories.md"
INTERNAL_NAMES = ROOT / "docs" / "internal_names.md"
NAMES = ROOT / "tests" / "golden" / "api_names.txt"


def has(path: str) -> bool:
    """Returns True if a dotted public name exists."""
    found: Any = tf
    for part in path.split(".")[1:]:
        if not hasattr(found, part):
            return False
        found = getattr(found, part)
    return True


def api_rows() -> list[str]:
    """Returns a row for each public module: the number of TF 1.8's names that exist, and the missing names."""
    modules: dict[str, list[str]] = {}
    for line in NAMES.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            module, _, name = line.rpartition(".")
            modules.setdefault(module, []).append(name)
    rows = []
    for module, names in modules.items():
        missing = [n for n in names if not has(f"{module}.{n}")]
        shown = ", ".join(f"`{n}`" for n in missing) if len(missing) < len(names) else "all"
        rows.append(f"| `{module}` | {len(names) - len(missing)} of {len(names)} | {shown or 'none'} |")
    return rows


def types_of(info: dict[str, Any]) -> str:
    """Returns the element types of an op's first type attribute."""
    for attr in info["attrs"]:
        if attr["type"] == "type" and attr["allowed_types"]:
            return ", ".join(as_dtype(t).name for t in attr["allowed_types"])
    return "any" if any(a["type"] in ("type", "list(type)") for a in info["attrs"]) else "fixed"


def op_rows() -> list[str]:
    """Returns a row for each op: the element types that its schema allows, and its gradient rule."""
    rows = []
    for name in _core.op_names():
        info = _core.op_info(name)
        if name.startswith("_") or not info["has_kernel"]:
            continue
        rule = gradient_registry._rules.get(name, ...)
        gradient = "-" if rule is ... else ("none" if rule is None else "yes")
        rows.append(f"| `{name}` | {types_of(info)} | {gradient} |")
    return rows


def page() -> str:
    """Returns the whole page."""
    ops = op_rows()
    return "\n".join(
        [
            "# Compatibility",
            "",
            "`docs/make_compatibility.py` generates this page; a test fails if it is stale.",
            "",
            "## Public names",
            "",
            "The table counts TensorFlow 1.8's public names in each module.",
            "",
            "| module | exist | missing |",
            "|---|---|---|",
            *api_rows(),
            "",
            INTERNAL_NAMES.read_text(encoding="utf-8").rstrip("\n"),
            "",
            f"## Ops ({len(ops)})",
            "",
            "Column `gradient`: *yes*: a rule is registered; *none*: registered as not differentiable; *-*: no entry.",
            "",
            "| op | element types | gradient |",
            "|---|---|---|",
            *ops,
            "",
            UNIT_TESTS.read_text(encoding="utf-8").rstrip("\n"),
            "",
            CONTRIB_TESTS.read_text(encoding="utf-8").rstrip("\n"),
            "",
            LIBRARIES.read_text(encoding="utf-8").rstrip("\n"),
            "",
            REPOSITORIES.read_text(encoding="utf-8").rstrip("\n"),
            "",
        ]
    )


def main() -> None:
    """Writes the page, or checks it."""
    text = page()
    if "--check" in sys.argv:
        if PAGE.read_text(encoding="utf-8") != text:
            sys.exit("docs/compatibility.md is stale: run python docs/make_compatibility.py")
        return
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
