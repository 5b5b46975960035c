"""`tf.contrib.learn.datasets.synthetic`: points on curves."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.learn.synthetic import circles as circles, spirals as spirals

_tell_absent(globals())
