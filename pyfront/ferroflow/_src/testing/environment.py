"""Properties of machine and build for tests, and the start of test programs."""

from __future__ import annotations

import os
import sys
import unittest
from typing import Any

from ferroflow._src.base import flags
from ferroflow._src.testing.benchmark import run_benchmarks
from ferroflow._src.testing.test_case import get_temp_dir

__all__ = [
    "StubOutForTesting",
    "get_temp_dir",
    "gpu_device_name",
    "is_built_with_cuda",
    "is_built_with_gpu_support",
    "is_built_with_rocm",
    "is_built_with_xla",
    "is_gpu_available",
    "main",
    "test_src_dir_path",
]


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    """Returns False: there is no GPU support; everything runs on the CPU.

    Args:
        cuda_only: not used.
        min_cuda_compute_capability: not used.

    Returns:
        bool, False.
    """
    return False


def gpu_device_name() -> str:
    """Returns the empty string: there is no GPU."""
    return ""


def is_built_with_cuda() -> bool:
    """Returns False: there is no CUDA support."""
    return False


def test_src_dir_path(relative_path: str) -> str:
    """Returns a path of TensorFlow's sources below the folder `TEST_SRCDIR`, if the environment names it.

    Otherwise the path is below the directory of the running program.

    Args:
        relative_path: str, path relative to that folder.

    Returns:
        str.
    """
    sources = os.environ.get("TEST_SRCDIR")
    if sources is not None:
        return os.path.join(sources, "org_tensorflow", "tensorflow", relative_path)
    return os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), relative_path)


def main(argv: list[str] | None = None) -> None:
    """Runs the tests of the `__main__` module, or with `--benchmarks=REGEX` its benchmarks; flags are parsed first.

    Args:
        argv: the program's name and arguments; None for those of the process.
    """
    given = list(sys.argv if argv is None else argv)
    chosen = [arg for arg in given if arg.startswith(("--benchmarks=", "-benchmarks="))]
    remaining = flags.FLAGS([arg for arg in given if arg not in chosen], known_only=True)
    if chosen:
        run_benchmarks(chosen[-1].split("=", 1)[1])
        return
    unittest.main(argv=remaining)


def is_built_with_rocm() -> bool:
    """Returns False: there is no ROCm support."""
    return False


def is_built_with_gpu_support() -> bool:
    """Returns False: there is no GPU support."""
    return False


def is_built_with_xla() -> bool:
    """Returns False: there is no XLA."""
    return False


class StubOutForTesting:
    """Replacement of attributes for the length of a test."""

    def __init__(self) -> None:
        self._saved: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> StubOutForTesting:
        return self

    def __exit__(self, *exc: object) -> None:
        self.CleanUp()

    def CleanUp(self) -> None:  # noqa: N802  # TF1's spelling
        """Undoes all replacements."""
        self.UnsetAll()

    SmartUnsetAll = CleanUp

    def Set(self, parent: Any, child_name: str, new_child: Any) -> None:  # noqa: N802  # TF1's spelling
        """Replaces an attribute.

        Args:
            parent: object, class or module that has it.
            child_name: str, its name.
            new_child: any object, its value until `UnsetAll`.

        Raises:
            AttributeError: if the attribute does not exist.
        """
        own = vars(parent).get(child_name)
        old = own if isinstance(own, staticmethod) else getattr(parent, child_name)
        self._saved.append((parent, child_name, old))
        setattr(parent, child_name, new_child)

    SmartSet = Set

    def UnsetAll(self) -> None:  # noqa: N802  # TF1's spelling
        """Undoes all replacements, the last one first."""
        while self._saved:
            parent, name, old = self._saved.pop()
            setattr(parent, name, old)
