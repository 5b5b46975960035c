"""`tf.saved_model.main_op`: operations to run after loading."""

from ferroflow._src.saved_model.main_op import main_op as main_op
from ferroflow._src.saved_model.main_op import main_op_with_restore as main_op_with_restore
