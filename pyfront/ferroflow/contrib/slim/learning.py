"""`tf.contrib.slim.learning`: training loops."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.checkpoint import saver as tf_saver  # noqa: F401  # TF's spelling
from ferroflow._src.contrib.slim.slim_learning import (
    add_gradients_summaries as add_gradients_summaries,
    create_train_op as create_train_op,
    train as train,
    train_step as train_step,
)
from ferroflow._src.contrib.training.train_op import (
    clip_gradient_norms as clip_gradient_norms,
    multiply_gradients as multiply_gradients,
)
from ferroflow._src.supervision import supervisor as supervisor

_tell_absent(globals())
