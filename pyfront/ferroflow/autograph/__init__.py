"""`tf.autograph`: functions whose `if`, `while` and `for` depend on tensors become functions that build graphs."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.autograph.api import to_code as to_code, to_graph as to_graph
from ferroflow.autograph import experimental as experimental

_tell_absent(globals())
