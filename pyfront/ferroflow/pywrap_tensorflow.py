"""`tf.pywrap_tensorflow`: what programs take from TensorFlow's native interface."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.checkpoint.reader import (
    CheckpointReader as CheckpointReader,
    NewCheckpointReader as NewCheckpointReader,
)
from ferroflow._src.summary.events_writer import EventsWriter as EventsWriter

_tell_absent(globals())
