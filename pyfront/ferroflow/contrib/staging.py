"""`tf.contrib.staging`: values that one step leaves for a later one."""

from ferroflow._src.ops.queue.staging import (
    StagingArea as StagingArea,
)
