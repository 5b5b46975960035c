"""Advice about common failures of TensorFlow 1.x programs."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from pathlib import Path
from socket import gaierror
from typing import Final
from urllib.error import URLError

from ferroflow._src.base import errors
from ferroflow._src.base.absent_names import instead_of
from ferroflow._src.base.package_files import is_package_file
from ferroflow.command_line.dropped_names import DROPPED, NEED_TENSORFLOW, PACKAGES, PYTHON_2_MODULES, PYTHON_2_VALUES

_PYTHON_2_SYNTAX = re.compile(
    "Missing parentheses in call|multiple exception types must be parenthesized|leading zeros in decimal|"
    "invalid decimal literal"
)
_PYTHON_2_NAMES = re.compile(
    r"module 'urllib' has no attribute|'dict' object has no attribute '(has_key|iteritems|iterkeys|itervalues)'|"
    r"name '(basestring|cmp|execfile|long|raw_input|reduce|unicode|unichr|xrange)' is not defined|"
    r"module 'string' has no attribute|module 'itertools' has no attribute '(imap|izip|ifilter)'"
)
_MISSING_HERE = re.compile(r"module 'ferroflow[\w.]*' has no attribute|from 'ferroflow")
_IMPORTED_FROM = re.compile(r"cannot import name '(\w+)' from 'ferroflow([\w.]*)'")
# Part of the errors for absent names: nothing is left to say.
_TOLD: Final = "is not in ferroflow"
_FOLDERS_ABOVE: Final = 3
_FOLDERS_BELOW: Final = 2
# Modules that many projects have of their own; what the package index has by these names is something else.
_COMMON_NAMES: Final = frozenset(
    (
        *("args", "common", "config", "configs", "constants", "core", "data", "data_loader", "data_utils", "dataset"),
        *(
            "datasets",
            "evaluate",
            "helper",
            "helpers",
            "input_data",
            "layers",
            "lib",
            "loader",
            "losses",
            "main",
            "misc",
        ),
        *("model", "models", "module", "modules", "net", "network", "networks", "nets", "ops", "options", "params"),
        *(
            "preprocess",
            "preprocessing",
            "reader",
            "settings",
            "src",
            "tools",
            "train",
            "util",
            "utils",
            "vgg",
            "vgg16",
        ),
    )
)
_INSTALLED: Final = frozenset({"site-packages", "dist-packages"})
_CONVERT: Final = (
    "Convert it first: `ferroflow check --fix FILE` shows how, and with `--write` does it; 2to3, which comes with "
    "Python up to 3.12, converts more."
)


def syntax_advice(error: SyntaxError) -> str | None:
    """Returns the advice about a file that is not valid Python 3.

    Args:
        error: SyntaxError.

    Returns:
        str, a sentence; None if nothing is known.
    """
    if isinstance(error, TabError):
        return "Python 2 let tabs and spaces mix: `expand -t 8 FILE > NEW_FILE` gives the columns that it saw."
    if "prior to global declaration" in str(error):
        return "Move the `global` line before the first use of the name: since Python 3.6 it has to come first."
    return _CONVERT if _PYTHON_2_SYNTAX.search(str(error)) else None


def _python_2(file: str, advice: str) -> str:
    return f"{file} looks like Python 2, and this is Python {sys.version_info[0]}.{sys.version_info[1]}. {advice}"


def _about_python_2(error: BaseException, program: str) -> str | None:
    if isinstance(error, SyntaxError):
        advice = syntax_advice(error)
        return _python_2(error.filename or program, advice) if advice else None
    message = str(error)
    if (isinstance(error, ImportError) and error.name in PYTHON_2_MODULES) or (
        isinstance(error, (AttributeError, NameError)) and _PYTHON_2_NAMES.search(message)
    ):
        return _python_2(_file_of(error) or program, _CONVERT)
    if isinstance(error, TypeError):
        for pattern, advice in PYTHON_2_VALUES:
            if re.search(pattern, message):
                return f"In Python 2 this worked: {advice}."
    return None


def _file_of(error: BaseException) -> str | None:
    """Returns the file whose line raised an error; None for a file of ferroflow or of an installed package."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    file = trace.tb_frame.f_code.co_filename if trace is not None else ""
    installed = is_package_file(file) or not _INSTALLED.isdisjoint(Path(file).parts)
    return file if file.endswith(".py") and not installed and os.path.exists(file) else None


def _about_missing_names(error: BaseException, program: str) -> str | None:
    message = str(error)
    if not isinstance(error, (AttributeError, ImportError)) or _TOLD in message or not _MISSING_HERE.search(message):
        return None
    found = _IMPORTED_FROM.search(message)
    instead = instead_of(f"tf{found[2]}.{found[1]}") if found else ""
    return (
        f"ferroflow does not offer this name{f'; instead: {instead}' if instead else ''}. `ferroflow check {program}` "
        "lists every name of TensorFlow's that the program uses and that is missing."
    )


def _about_missing_modules(error: BaseException, program: str) -> str | None:
    if not isinstance(error, ImportError):
        return None
    if "attempted relative import" in str(error):
        folder, name = os.path.split(os.path.abspath(program))
        module = f"{os.path.basename(folder)}.{name.removesuffix('.py')}"
        return f"{program} is part of a package: `cd {os.path.dirname(folder)}; ferroflow run -m {module}`."
    if not isinstance(error, ModuleNotFoundError) or error.name is None:
        return None
    name = error.name.split(".")[0]
    if name in NEED_TENSORFLOW:
        return f"{name} is built on TensorFlow itself and does not run on ferroflow; take what the program needs of it."
    own = _own_folder(name, program)
    if own is not None:
        if str(own) in map(os.path.abspath, sys.path):
            return f"{name} is the program's own, in {own}, and has no {error.name}: the file is missing there."
        return f"{name} is in {own}: set PYTHONPATH={own}."
    if name in sys.stdlib_module_names or _is_installed(name):
        return None
    if name in _COMMON_NAMES:
        return (
            f"{name} is most likely a module of the program's own project, and is not in its folders. Look for it "
            "where the program comes from, and put it beside the program."
        )
    package = PACKAGES.get(name, name)
    return f"The program needs a package that is neither its own nor ferroflow's: pip install {package}."


def advice_about(message: str) -> str | None:
    """Returns what to do about what Python or a package no longer has.

    Args:
        message: str, the text of the error that using it raises.

    Returns:
        str, a few words; None if nothing is known.
    """
    for pattern, advice in DROPPED:
        found = re.search(pattern, message)
        if found:
            return advice.format(*found.groups())
    module = re.fullmatch(r"No module named '(\w+)'", message)
    if (module and module[1] in PYTHON_2_MODULES) or _PYTHON_2_NAMES.search(message):
        return "Python 2; `ferroflow check --fix` shows what it is in Python 3"
    return None


def _own_folder(name: str, program: str) -> Path | None:
    """Returns the folder around the program, or below it, that holds a module of the program's own."""
    parents = list(Path(program).resolve().parents)[:_FOLDERS_ABOVE]
    for above in parents:
        if (above / f"{name}.py").exists() or any((above / name).glob("*.py")) or any((above / name).glob("*/*.py")):
            return above
    for depth in range(1, _FOLDERS_BELOW + 1):
        for below in parents[0].glob("/".join("*" * depth)):
            if below.is_dir() and ((below / f"{name}.py").exists() or any((below / name).glob("*.py"))):
                return below
    return None


def _is_installed(name: str) -> bool:
    """Returns whether a package is there, and only a part of it is missing."""
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _about_dropped_names(error: BaseException, program: str) -> str | None:
    if isinstance(error, (AttributeError, ImportError, NameError, TypeError, ValueError)):
        for pattern, advice in DROPPED:
            found = re.search(pattern, str(error))
            if found:
                return advice.format(*found.groups()) + "."
    return None


def _about_missing_files(error: BaseException, program: str) -> str | None:
    if isinstance(error, (URLError, gaierror)) or type(error).__module__.startswith("requests."):
        return (
            f"The program fetches {getattr(error, 'url', None) or 'its data'}, and cannot. Fetch it by hand, or from "
            "another place, and put it where the program looks for it."
        )
    if isinstance(error, FileNotFoundError) and isinstance(error.filename, str):
        name = error.filename
    elif isinstance(error, errors.NotFoundError) and "; No such file or directory" in str(error):
        name = str(error).split(";")[0]
    else:
        return None
    folder = os.path.dirname(os.path.abspath(program))
    if not os.path.isabs(name) and os.path.exists(os.path.join(folder, name)) and folder != os.getcwd():
        return f"{name} is in the program's folder: cd {folder}, and run it there."
    return f"The program looks for {os.path.abspath(name)}. Its README may say where the data comes from."


def _about_displays(error: BaseException, program: str) -> str | None:
    if type(error).__name__ == "TclError" and "display" in str(error):
        return "There is no screen here. MPLBACKEND=Agg keeps matplotlib from asking for one; xvfb-run gives one."
    return None


def _about_clusters(error: BaseException, program: str) -> str | None:
    if isinstance(error, errors.FailedPreconditionError) and "FERROFLOW_CLUSTER_TOKEN" in str(error):
        return (
            "To try it on this machine alone, write localhost:PORT for each address in its ClusterSpec, and start each "
            f"task; if the program takes them as flags, `ferroflow launch --ps 1 --workers 2 --flags {program}` does."
        )
    if type(error).__name__ == "UnrecognizedFlagError" and re.search("'(ps|worker)_hosts'", str(error)):
        return (
            "`ferroflow launch --flags` tells a program its cluster by --ps_hosts and --worker_hosts, and this one has "
            "no such flags: write localhost:PORT for each address in its ClusterSpec, and start each task by itself."
        )
    return None


_SUBJECTS = (
    _about_python_2,
    _about_missing_names,
    _about_missing_modules,
    _about_dropped_names,
    _about_missing_files,
    _about_displays,
    _about_clusters,
)


def hint(error: BaseException, program: str) -> str | None:
    """Returns the advice about a failure.

    Args:
        error: exception of a program.
        program: str, its file or module.

    Returns:
        str, one sentence or two; None if nothing is known.
    """
    return next((text for subject in _SUBJECTS if (text := subject(error, program)) is not None), None)


def add_hint(error: BaseException, program: str) -> None:
    """Shows the advice about a failure below its traceback if Python has notes (3.11), otherwise above it.

    Args:
        error: exception of a program.
        program: str, its file or module.
    """
    text = hint(error, program)
    if text is None:
        return
    if sys.version_info >= (3, 11):
        error.add_note(text)
    else:
        print(text, file=sys.stderr)
