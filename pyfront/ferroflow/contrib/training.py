"""`tf.contrib.training`: batches of elements that are alike, training and evaluation loops, parameter servers."""

from ferroflow._src.checkpoint.waiting import checkpoints_iterator as checkpoints_iterator
from ferroflow._src.checkpoint.waiting import wait_for_new_checkpoint as wait_for_new_checkpoint
from ferroflow._src.cluster.ps_strategy import (
    GreedyLoadBalancingStrategy as GreedyLoadBalancingStrategy,
)
from ferroflow._src.cluster.ps_strategy import (
    RandomStrategy as RandomStrategy,
)
from ferroflow._src.cluster.ps_strategy import (
    byte_size_load_fn as byte_size_load_fn,
)
from ferroflow._src.input.bucketing import (
    bucket as bucket,
)
from ferroflow._src.input.bucketing import (
    bucket_by_sequence_length as bucket_by_sequence_length,
)
from ferroflow._src.supervision.evaluation import evaluate_once as evaluate_once
from ferroflow._src.supervision.evaluation import evaluate_repeatedly as evaluate_repeatedly
from ferroflow._src.supervision.evaluation import get_or_create_eval_step as get_or_create_eval_step
from ferroflow._src.supervision.hooks.stop_after_evals import StopAfterNEvalsHook as StopAfterNEvalsHook
from ferroflow._src.supervision.hooks.summary_at_end import SummaryAtEndHook as SummaryAtEndHook
from ferroflow._src.supervision.training_loop import train as train
from ferroflow._src.training.hyperparameters import HParams as HParams
from ferroflow._src.training.hyperparameters import parse_values as parse_values
from ferroflow._src.training.train_op import add_gradients_summaries as add_gradients_summaries
from ferroflow._src.training.train_op import clip_gradient_norms as clip_gradient_norms
from ferroflow._src.training.train_op import clip_gradient_norms_fn as clip_gradient_norms_fn
from ferroflow._src.training.train_op import create_train_op as create_train_op
from ferroflow._src.training.train_op import multiply_gradients as multiply_gradients
