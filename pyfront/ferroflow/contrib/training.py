"""`tf.contrib.training`: batches of elements that are alike, training and evaluation loops, parameter servers."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.checkpoint.waiting import (
    checkpoints_iterator as checkpoints_iterator,
    wait_for_new_checkpoint as wait_for_new_checkpoint,
)
from ferroflow._src.cluster.ps_strategy import (
    GreedyLoadBalancingStrategy as GreedyLoadBalancingStrategy,
    RandomStrategy as RandomStrategy,
    byte_size_load_fn as byte_size_load_fn,
)
from ferroflow._src.contrib.training.bucketing import (
    bucket as bucket,
    bucket_by_sequence_length as bucket_by_sequence_length,
)
from ferroflow._src.contrib.training.hyperparameters import HParams as HParams, parse_values as parse_values
from ferroflow._src.contrib.training.sampling import (
    rejection_sample as rejection_sample,
    resample_at_rate as resample_at_rate,
    stratified_sample as stratified_sample,
    weighted_resample as weighted_resample,
)
from ferroflow._src.contrib.training.state_saving import (
    NextQueuedSequenceBatch as NextQueuedSequenceBatch,
    SequenceQueueingStateSaver as SequenceQueueingStateSaver,
    batch_sequences_with_states as batch_sequences_with_states,
)
from ferroflow._src.contrib.training.summary_at_end import SummaryAtEndHook as SummaryAtEndHook
from ferroflow._src.contrib.training.train_op import (
    add_gradients_summaries as add_gradients_summaries,
    clip_gradient_norms as clip_gradient_norms,
    clip_gradient_norms_fn as clip_gradient_norms_fn,
    create_train_op as create_train_op,
    multiply_gradients as multiply_gradients,
)
from ferroflow._src.contrib.training.training_loop import train as train
from ferroflow._src.supervision.evaluation import (
    evaluate_once as evaluate_once,
    evaluate_repeatedly as evaluate_repeatedly,
    get_or_create_eval_step as get_or_create_eval_step,
)
from ferroflow._src.supervision.hooks.stop_after_evals import StopAfterNEvalsHook as StopAfterNEvalsHook

_tell_absent(globals())
