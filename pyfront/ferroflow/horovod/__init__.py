"""Horovod's functions for training with several processes, over MPI."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent

__version__ = "0.19.5"

_tell_absent(globals())
