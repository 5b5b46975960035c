"""Stands for `pip` and `make` in the commands of a page: checks what they are asked for, and builds nothing.

python stand_ins.py pip|make ARGUMENT ...
"""

import os
import re
import sys
from pathlib import Path

ROOT = Path(os.environ["FERROFLOW_ROOT"])


def check_pip(arguments: list[str]) -> None:
    """Fails if an extra of ferroflow does not exist, or the command is neither `install` nor `uninstall`."""
    if not arguments or arguments[0] not in ("install", "uninstall"):
        sys.exit(f"pip {' '.join(arguments)}: no page needs this")
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    extras = settings.split("[project.optional-dependencies]", 1)[1].split("\n[", 1)[0]
    names = re.findall(r"^(\w+) = ", extras, re.MULTILINE)
    for argument in arguments[1:]:
        for extra in re.findall(r"\w+", "".join(re.findall(r"\[([^\]]*)\]", argument))):
            if extra not in names:
                sys.exit(f"ferroflow has no extra {extra!r}")


def check_make(arguments: list[str]) -> None:
    """Fails if the Makefile does not have a target."""
    targets = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    for argument in arguments:
        if "=" not in argument and argument not in targets:
            sys.exit(f"there is no make target {argument!r}")


if __name__ == "__main__":
    {"pip": check_pip, "make": check_make}[sys.argv[1]](sys.argv[2:])
