"""The group of packages for development holds what the package needs: `make lint` runs before it is installed."""

import pathlib
import sys

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PYPROJECT = pathlib.Path(__file__).parents[2] / "pyproject.toml"


def test_development_needs_all_that_the_package_needs() -> None:
    described = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))
    needed = described["project"]["dependencies"]
    assert needed
    assert set(needed) <= {entry for entry in described["dependency-groups"]["dev"] if isinstance(entry, str)}
