"""`tf.contrib.staging`: values that one step leaves for a later one."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.ops.queue.staging import StagingArea as StagingArea

_tell_absent(globals())
