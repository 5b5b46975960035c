"""`tf.examples`: what TF 1.x's tutorials import."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow.examples import tutorials as tutorials

_tell_absent(globals())
