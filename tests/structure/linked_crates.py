"""Reads which packages the core is linked from, which are locked, and which the list of licences names."""

import re
import subprocess
from pathlib import Path

Package = tuple[str, str]
_NAMED = re.compile(r"^([\w-]+) (\d[\w.+-]*)(?: \(.*\))?: \S.*$", re.MULTILINE)


def cargo_runs() -> bool:
    """Tells whether there is a cargo that runs; that of rustup needs the home folder for which it was installed."""
    try:
        return subprocess.run(["cargo", "--version"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def linked(root: Path) -> set[Package]:
    """Asks cargo for the name and version of each package, not of this tree, that the core is built from here."""
    asked = ["cargo", "tree", "--locked", "--package=ferroflow-python", "--edges=normal", "--prefix=none"]
    listed = subprocess.run(
        [*asked, "--format={p}"], cwd=root, check=True, capture_output=True, encoding="utf-8"
    ).stdout
    found = {tuple(line.split()[:2]) for line in listed.splitlines()}
    return {(name, version.removeprefix("v")) for name, version in found if not name.startswith("ferroflow-")}


def locked(lock: dict[str, list[dict[str, str]]]) -> set[Package]:
    """Lists the name and version of each package of a lock file."""
    return {(package["name"], package["version"]) for package in lock["package"]}


def named(text: str) -> set[Package]:
    """Lists the name and version of each package that a list of licences names, with a licence beside it."""
    return {(name, version) for name, version in _NAMED.findall(text.split("\n====", 1)[0])}
