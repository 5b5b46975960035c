"""`tf.saved_model.main_op`: operations to run after loading."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.saved_model.main_op import main_op as main_op, main_op_with_restore as main_op_with_restore

_tell_absent(globals())
