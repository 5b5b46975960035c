"""The version of TensorFlow that programs are told: the last one of the interface that is here."""

from typing import Final

from ferroflow import _core

__all__ = ["GIT_VERSION", "VERSION"]

# Programs compare it, and take old or new paths by it; the package's own version is `ferroflow --version`.
VERSION: Final = "1.15.0"
GIT_VERSION: Final = f"v{VERSION}-ferroflow-{_core.__version__}"
