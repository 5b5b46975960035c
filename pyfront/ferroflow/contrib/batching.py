"""`tf.contrib.batching`: functions that compute once for the steps that run at the same time."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.batching.batch_functions import batch_function as batch_function

_tell_absent(globals())
