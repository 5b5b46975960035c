"""The alias: `import tensorflow`, `import keras` and `import horovod` import ferroflow, in this process, its children
or an environment.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import PathFinder
from typing import Final

from ferroflow._alias.finders import EstimatorFinder, HorovodFinder, KerasFinder, TensorFlowFinder
from ferroflow._alias.standard_modules import offer_standard_modules
from ferroflow._src.horovod.launchers import choose_library_of_launcher

_FOLDER: Final = os.path.dirname(os.path.abspath(__file__))
# Entries for sys.path, which are no packages themselves. Each holds packages that call `install_as_tensorflow`.
_TENSORFLOW_PATH: Final = os.path.join(_FOLDER, "path-tensorflow")
_KERAS_PATH: Final = os.path.join(_FOLDER, "path-keras")


def install_as_tensorflow(keras: bool = True) -> None:
    """Makes every later `import tensorflow` in this process give ferroflow, even where TensorFlow is installed.

    For the first cell of a notebook, a `conftest.py`, or the first lines of a server; `%load_ext ferroflow` calls it in
    IPython. `ferroflow alias --install` does the same for all processes of an environment. `import horovod` gives
    `ferroflow.horovod`, even where Horovod is installed, which is compiled for TensorFlow's library. The modules of
    `tensorflow_estimator` are ferroflow's, too.

    Args:
        keras: bool. If True, `import keras` gives `tf.keras`, unless a Keras is installed or the program has its own.

    Raises:
        RuntimeError: if the real TensorFlow is imported in this process already.
    """
    root = sys.modules["ferroflow"]
    loaded = sys.modules.get("tensorflow", root)
    if loaded is not root:
        raise RuntimeError(
            f"TensorFlow is imported already, from {getattr(loaded, '__file__', None)}. Call "
            "ferroflow.install_as_tensorflow() before the first `import tensorflow`; in a notebook, restart the kernel."
        )
    sys.modules["tensorflow"] = root
    # The program may import mpi4py before it calls `hvd.init`.
    choose_library_of_launcher()
    for finder in (HorovodFinder, EstimatorFinder, TensorFlowFinder):
        if finder not in sys.meta_path:
            sys.meta_path.insert(0, finder)
    if keras and KerasFinder not in sys.meta_path:
        sys.meta_path.append(KerasFinder)
    offer_standard_modules()


def install_for_children(keras: bool = True) -> None:
    """Makes `import tensorflow` give ferroflow in child processes, however they are started.

    Children that `fork` inherit the finders. Others get the folders with the two packages: those that
    `multiprocessing` spawns by `sys.path`, all others by the environment variable PYTHONPATH.

    Args:
        keras: bool. If True, also `import keras`, unless a Keras is found on `sys.path`.
    """
    _add(_TENSORFLOW_PATH, position=1)
    if keras and PathFinder.find_spec("keras") is None:
        _add(_KERAS_PATH, position=len(sys.path))


def _add(folder: str, position: int) -> None:
    if folder not in sys.path:
        sys.path.insert(position, folder)
    known = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if folder not in known:
        os.environ["PYTHONPATH"] = os.pathsep.join([folder, *filter(None, known)])
