"""`tf.contrib.estimator`: heads, estimators that take them, and what changes an estimator that is there."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.estimator.heads import (
    binary_classification_head as binary_classification_head,
    logistic_regression_head as logistic_regression_head,
    multi_class_head as multi_class_head,
    multi_head as multi_head,
    multi_label_head as multi_label_head,
    poisson_regression_head as poisson_regression_head,
    regression_head as regression_head,
)
from ferroflow._src.estimator.head_estimators import (
    DNNEstimator as DNNEstimator,
    DNNLinearCombinedEstimator as DNNLinearCombinedEstimator,
    LinearEstimator as LinearEstimator,
)
from ferroflow._src.estimator.network_models import (
    call_logit_fn as call_logit_fn,
    dnn_logit_fn_builder as dnn_logit_fn_builder,
    linear_logit_fn_builder as linear_logit_fn_builder,
)

_tell_absent(globals())
