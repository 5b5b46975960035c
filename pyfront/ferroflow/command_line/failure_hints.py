"""What to do about failures that programs of TensorFlow's time have in common."""

from __future__ import annotations

import re
import sys

__all__ = ["add_hint", "hint"]

_PYTHON_2_SYNTAX = re.compile(
    "Missing parentheses in call|multiple exception types must be parenthesized|leading zeros in decimal|"
    "invalid decimal literal|inconsistent use of tabs"
)
_PYTHON_2_MODULES = frozenset(
    (
        *("ConfigParser", "Queue", "SocketServer", "StringIO", "Tkinter", "__builtin__", "cPickle", "cStringIO"),
        *("commands", "copy_reg", "cookielib", "httplib", "thread", "urllib2", "urlparse"),
    )
)
_PYTHON_2_NAMES = re.compile(
    r"module 'urllib' has no attribute|'dict' object has no attribute '(has_key|iteritems|iterkeys|itervalues)'|"
    r"name '(basestring|long|raw_input|reduce|unicode|unichr|xrange)' is not defined|"
    r"module 'string' has no attribute|module 'itertools' has no attribute '(imap|izip|ifilter)'"
)
_MISSING_HERE = re.compile(r"module 'ferroflow[\w.]*' has no attribute|is not offered by ferroflow|from 'ferroflow")


def hint(error: BaseException, program: str) -> str | None:
    """What to do about a failure.

    Args:
        error: what a program raised.
        program: str, its file or module.

    Returns:
        str, one sentence or two; None where nothing is known.
    """
    message = str(error)
    if (
        (isinstance(error, SyntaxError) and _PYTHON_2_SYNTAX.search(message))
        or (isinstance(error, ImportError) and error.name in _PYTHON_2_MODULES)
        or (isinstance(error, (AttributeError, NameError)) and _PYTHON_2_NAMES.search(message))
    ):
        return (
            f"{program} looks like Python 2, and this is Python {sys.version_info[0]}.{sys.version_info[1]}. Convert "
            "it first: 2to3 -w FILE writes it anew (2to3 comes with Python up to 3.12)."
        )
    if isinstance(error, (AttributeError, ImportError)) and _MISSING_HERE.search(message):
        return (
            f"ferroflow does not offer this name. `ferroflow check {program}` lists every name of TensorFlow's that "
            "the program uses, with those that are missing."
        )
    return None


def add_hint(error: BaseException, program: str) -> None:
    """Shows what to do about a failure, below its traceback where Python has notes (3.11), else above it.

    Args:
        error: what a program raised.
        program: str, its file or module.
    """
    text = hint(error, program)
    if text is None:
        return
    if sys.version_info >= (3, 11):
        error.add_note(text)
    else:
        print(text, file=sys.stderr)
