"""`tf.contrib.slim.evaluation`: evaluates checkpoints while or after they are trained."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.checkpoint.waiting import (
    checkpoints_iterator as checkpoints_iterator,
    wait_for_new_checkpoint as wait_for_new_checkpoint,
)
from ferroflow._src.contrib.slim.slim_evaluation import (
    evaluate_once as evaluate_once,
    evaluation_loop as evaluation_loop,
)

_tell_absent(globals())
