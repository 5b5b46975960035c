"""The program behind `python -m tensorflow.python.tools.freeze_graph` and others; the module's path decides which."""

from __future__ import annotations

import sys

from ferroflow._src.internals.tool_commands import run

if __name__ == "__main__":
    sys.exit(run((__package__ or "").rpartition(".")[2], sys.argv[1:]))
