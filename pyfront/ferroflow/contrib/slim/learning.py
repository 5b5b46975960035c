"""`tf.contrib.slim.learning`: training loops."""

from ferroflow._src.supervision.slim_learning import add_gradients_summaries as add_gradients_summaries
from ferroflow._src.supervision.slim_learning import create_train_op as create_train_op
from ferroflow._src.supervision.slim_learning import train as train
from ferroflow._src.supervision.slim_learning import train_step as train_step
from ferroflow._src.training.train_op import clip_gradient_norms as clip_gradient_norms
from ferroflow._src.training.train_op import multiply_gradients as multiply_gradients
