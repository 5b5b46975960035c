"""Writes loop_gradients.tar.xz: the models of loop_gradient_programs.py as TensorFlow writes them, with its losses.

Run with TensorFlow 2.21 and tf_keras beside it: `python tests/golden/make_loop_gradients.py`.
"""

from __future__ import annotations

import pathlib
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).parent


def _plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """Without what differs from one run to the next."""
    entry.mtime = entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, str(HERE / "loop_gradient_programs.py"), "save", folder], check=True)
        with tarfile.open(HERE / "loop_gradients.tar.xz", "w:xz") as archive:
            for path in sorted(pathlib.Path(folder).iterdir()):
                archive.add(path, path.name, filter=_plain)
