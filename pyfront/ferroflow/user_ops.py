"""`tf.user_ops`: the example that TensorFlow keeps for ops of users."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.ops.user import my_fact as my_fact

_tell_absent(globals())
