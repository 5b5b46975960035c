"""`tf.contrib.estimator`: heads, estimators that take them, and what changes an estimator that is there."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.estimator.exports import (
    export_all_saved_models as export_all_saved_models,
    export_saved_model_for_mode as export_saved_model_for_mode,
)
from ferroflow._src.contrib.estimator.extenders import (
    clip_gradients_by_norm as clip_gradients_by_norm,
    forward_features as forward_features,
)
from ferroflow._src.contrib.estimator.heads import (
    binary_classification_head as binary_classification_head,
    logistic_regression_head as logistic_regression_head,
    multi_class_head as multi_class_head,
    multi_head as multi_head,
    multi_label_head as multi_label_head,
    poisson_regression_head as poisson_regression_head,
    regression_head as regression_head,
)
from ferroflow._src.contrib.estimator.recurrent import RNNClassifier as RNNClassifier, RNNEstimator as RNNEstimator
from ferroflow._src.contrib.estimator.replicating import replicate_model_fn as replicate_model_fn
from ferroflow._src.contrib.estimator.saved_model_estimator import SavedModelEstimator as SavedModelEstimator
from ferroflow._src.contrib.estimator.tower_optimizer import TowerOptimizer as TowerOptimizer
from ferroflow._src.estimator.early_stopping import (
    make_early_stopping_hook as make_early_stopping_hook,
    make_stop_at_checkpoint_step_hook as make_stop_at_checkpoint_step_hook,
    read_eval_metrics as read_eval_metrics,
    stop_if_higher_hook as stop_if_higher_hook,
    stop_if_lower_hook as stop_if_lower_hook,
    stop_if_no_decrease_hook as stop_if_no_decrease_hook,
    stop_if_no_increase_hook as stop_if_no_increase_hook,
)
from ferroflow._src.estimator.extenders import add_metrics as add_metrics
from ferroflow._src.estimator.head_estimators import (
    DNNEstimator as DNNEstimator,
    DNNLinearCombinedEstimator as DNNLinearCombinedEstimator,
    LinearEstimator as LinearEstimator,
)
from ferroflow._src.estimator.in_memory_evaluation import InMemoryEvaluatorHook as InMemoryEvaluatorHook
from ferroflow._src.estimator.mode_exports import (
    build_raw_supervised_input_receiver_fn as build_raw_supervised_input_receiver_fn,
    build_supervised_input_receiver_fn_from_input_fn as build_supervised_input_receiver_fn_from_input_fn,
)
from ferroflow._src.estimator.network_models import (
    call_logit_fn as call_logit_fn,
    dnn_logit_fn_builder as dnn_logit_fn_builder,
    linear_logit_fn_builder as linear_logit_fn_builder,
)

_tell_absent(globals())
