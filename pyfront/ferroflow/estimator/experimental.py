"""`tf.estimator.experimental`: hooks that stop or evaluate a training, clusters, and functions of logits."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.factorization.kmeans_estimator import KMeansClustering as KMeans  # noqa: F401  # TF's spelling
from ferroflow._src.estimator.early_stopping import (
    make_early_stopping_hook as make_early_stopping_hook,
    make_stop_at_checkpoint_step_hook as make_stop_at_checkpoint_step_hook,
    stop_if_higher_hook as stop_if_higher_hook,
    stop_if_lower_hook as stop_if_lower_hook,
    stop_if_no_decrease_hook as stop_if_no_decrease_hook,
    stop_if_no_increase_hook as stop_if_no_increase_hook,
)
from ferroflow._src.estimator.in_memory_evaluation import InMemoryEvaluatorHook as InMemoryEvaluatorHook
from ferroflow._src.estimator.mode_exports import (
    build_raw_supervised_input_receiver_fn as build_raw_supervised_input_receiver_fn,
)
from ferroflow._src.estimator.network_models import (
    call_logit_fn as call_logit_fn,
    dnn_logit_fn_builder as dnn_logit_fn_builder,
    linear_logit_fn_builder as linear_logit_fn_builder,
)

_tell_absent(globals())
