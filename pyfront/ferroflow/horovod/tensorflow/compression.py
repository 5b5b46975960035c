"""Compressions at the path where Horovod has them."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.horovod.compression import (
    Compression as Compression,
    Compressor as Compressor,
    FP16Compressor as FP16Compressor,
    NoneCompressor as NoneCompressor,
)

_tell_absent(globals())
