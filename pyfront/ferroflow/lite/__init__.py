"""`tf.lite`: names of the converter for small devices, which say what to use instead."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.internals.lite import (
    Interpreter as Interpreter,
    OpHint as OpHint,
    OpsSet as OpsSet,
    Optimize as Optimize,
    RepresentativeDataset as RepresentativeDataset,
    TargetSpec as TargetSpec,
    TFLiteConverter as TFLiteConverter,
    TocoConverter as TocoConverter,
    toco_convert as toco_convert,
)
from ferroflow.lite import constants as constants

_tell_absent(globals())
