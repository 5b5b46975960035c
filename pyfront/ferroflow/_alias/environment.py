"""Installation of packages `tensorflow`, `horovod` and `keras` that import ferroflow into a Python environment, as pip
would do it.
"""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Final

_INSTALLER: Final = "ferroflow alias"
_MODULES: Final = {
    "tensorflow": "ferroflow",
    "horovod": "ferroflow.horovod",
    "keras": "ferroflow.python.keras",
}


class AliasError(Exception):
    """Error: the environment has another package of that name, or cannot be written."""


@dataclass(frozen=True)
class Alias:
    """One package that gives ferroflow.

    Attributes:
        name: str, the package's name and its distribution's.
        version: str, the version that `pip list` and `importlib.metadata` show.
        summary: str, the line that `pip show` prints.
    """

    name: str
    version: str
    summary: str

    @property
    def code(self) -> str:
        """The text of the package's `__init__.py`."""
        return (
            f'"""`import {self.name}` gives ferroflow; written by `ferroflow alias --install`."""\n\n'
            "import importlib\n"
            "import sys\n\n"
            "import ferroflow\n\n"
            "sys.modules.pop(__name__)\n"
            "ferroflow.install_as_tensorflow()\n"
            f'sys.modules[__name__] = importlib.import_module("{self.module}")\n'
        )

    @property
    def module(self) -> str:
        """The module that the package gives."""
        return _MODULES[self.name]

    @property
    def info(self) -> str:
        """The name of the folder with the distribution's metadata."""
        return f"{self.name}-{self.version}.dist-info"

    @property
    def metadata(self) -> str:
        """The text of the file METADATA."""
        fields = {
            "Metadata-Version": "2.1",
            "Name": self.name,
            "Version": self.version,
            "Summary": self.summary,
            "Requires-Dist": "ferroflow",
        }
        return "".join(f"{field}: {value}\n" for field, value in fields.items())


ALIASES: Final = (
    Alias("tensorflow", "1.15.0", "ferroflow under TensorFlow's name (not TensorFlow)"),
    Alias("horovod", "0.19.5", "ferroflow under Horovod's name (not Horovod)"),
    Alias("keras", "2.2.4", "ferroflow's tf.keras under Keras's name (not Keras)"),
)


def site_packages() -> Path:
    """Returns the folder in which this environment has its packages."""
    return Path(sysconfig.get_path("purelib"))


def state(alias: Alias) -> tuple[str, str]:
    """Returns what the environment has under an alias's name.

    Args:
        alias: which one.

    Returns:
        Two str: "installed" for the alias, "incomplete" for one whose installation was stopped half-way, "other" for
        another package, "absent" for none; and if it is.
    """
    folder = site_packages()
    infos = list(_own_infos(alias, folder))
    package = folder / alias.name
    if infos or _is_own_package(package):
        complete = len(infos) == 1 and _is_own_package(package)
        return ("installed" if complete else "incomplete"), str(package)
    other = _other_package(alias)
    return ("other", other) if other else ("absent", str(package))


def install(alias: Alias) -> Path:
    """Installs an alias, or installs it again.

    The metadata are written last, so that `state` shows an installation that was stopped half-way.

    Args:
        alias: which one.

    Returns:
        Path, the package's folder.

    Raises:
        AliasError: if the environment has a package of that name already, or its folder cannot be written.
    """
    kind, place = state(alias)
    if kind == "other":
        raise AliasError(
            f"{alias.name} is installed already: {place}. Remove it first (pip uninstall {alias.name}), or use an "
            "environment without it (python -m venv)."
        )
    if kind != "absent":
        remove(alias)
    folder = site_packages()
    package, info = folder / alias.name, folder / alias.info
    try:
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(alias.code)
        info.mkdir()
        files = {
            info / "METADATA": alias.metadata,
            info / "INSTALLER": f"{_INSTALLER}\n",
            info / "top_level.txt": f"{alias.name}\n",
        }
        for file, text in files.items():
            file.write_text(text)
        rows = [_record_row(file, folder) for file in (package / "__init__.py", *files)]
        (info / "RECORD").write_text("\n".join([*rows, f"{alias.info}/RECORD,,", ""]))
    except OSError as failure:
        raise AliasError(
            f"{failure.filename or folder} cannot be written ({failure.strerror}). "
            "Use an environment of your own: python -m venv FOLDER."
        ) from failure
    return package


def remove(alias: Alias) -> bool:
    """Removes an alias, and leaves any other package of that name.

    Args:
        alias: which one.

    Returns:
        bool, True if there was one.

    Raises:
        AliasError: if the folder cannot be written.
    """
    folder = site_packages()
    package = folder / alias.name
    found = [*_own_infos(alias, folder), *([package] if _is_own_package(package) else [])]
    try:
        for place in found:
            shutil.rmtree(place)
    except OSError as failure:
        raise AliasError(f"{failure.filename} cannot be removed ({failure.strerror})") from failure
    return bool(found)


def _own_infos(alias: Alias, folder: Path) -> Iterator[Path]:
    """Yields the metadata folders of every version of an alias, those without all their files, too."""
    for info in folder.glob(f"{alias.name}-*.dist-info"):
        try:
            if (info / "INSTALLER").read_text().strip() == _INSTALLER or not any(info.iterdir()):
                yield info
        except OSError:
            continue


def _is_own_package(package: Path) -> bool:
    """Returns True for the alias's package, and for an empty folder that a stopped installation left."""
    try:
        if not any(file for file in os.listdir(package) if file != "__pycache__"):
            return True
        return "ferroflow.install_as_tensorflow" in (package / "__init__.py").read_text()
    except (OSError, UnicodeDecodeError):
        return False


def _other_package(alias: Alias) -> str | None:
    spec = PathFinder.find_spec(alias.name)
    if spec is not None and spec.origin is not None and not _is_own_package(Path(spec.origin).parent):
        return str(Path(spec.origin).parent)
    try:
        distribution = metadata.distribution(alias.name)
    except metadata.PackageNotFoundError:
        return None
    return f"{alias.name} {distribution.version}"


def _record_row(file: Path, folder: Path) -> str:
    data = file.read_bytes()
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{file.relative_to(folder).as_posix()},sha256={digest},{len(data)}"
