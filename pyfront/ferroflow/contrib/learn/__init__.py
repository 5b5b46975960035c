"""`tf.contrib.learn`: estimators that train with `fit`, experiments, text made numbers, and data to learn from."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.factorization.learn_kmeans import KMeansClustering as KMeansClustering
from ferroflow._src.contrib.learn import learn_runner as learn_runner
from ferroflow._src.contrib.learn.canned import (
    infer_real_valued_columns_from_input as infer_real_valued_columns_from_input,
    infer_real_valued_columns_from_input_fn as infer_real_valued_columns_from_input_fn,
)
from ferroflow._src.contrib.learn.canned_combined import (
    DNNLinearCombinedClassifier as DNNLinearCombinedClassifier,
    DNNLinearCombinedEstimator as DNNLinearCombinedEstimator,
    DNNLinearCombinedRegressor as DNNLinearCombinedRegressor,
)
from ferroflow._src.contrib.learn.canned_linear import (
    LinearClassifier as LinearClassifier,
    LinearEstimator as LinearEstimator,
    LinearRegressor as LinearRegressor,
)
from ferroflow._src.contrib.learn.canned_networks import (
    DNNClassifier as DNNClassifier,
    DNNEstimator as DNNEstimator,
    DNNRegressor as DNNRegressor,
)
from ferroflow._src.contrib.learn.dynamic_rnn import DynamicRnnEstimator as DynamicRnnEstimator
from ferroflow._src.contrib.learn.estimator import (
    BaseEstimator as BaseEstimator,
    Estimator as Estimator,
)
from ferroflow._src.contrib.learn.experiment import Experiment as Experiment
from ferroflow._src.contrib.learn.export_strategies import (
    ExportStrategy as ExportStrategy,
    make_export_strategy as make_export_strategy,
)
from ferroflow._src.contrib.learn.exporting import build_parsing_serving_input_fn as build_parsing_serving_input_fn
from ferroflow._src.contrib.learn.file_inputs import (
    read_batch_examples as read_batch_examples,
    read_batch_features as read_batch_features,
    read_batch_record_features as read_batch_record_features,
    read_keyed_batch_examples as read_keyed_batch_examples,
    read_keyed_batch_examples_shared_queue as read_keyed_batch_examples_shared_queue,
    read_keyed_batch_features as read_keyed_batch_features,
    read_keyed_batch_features_shared_queue as read_keyed_batch_features_shared_queue,
)
from ferroflow._src.contrib.learn.graph_actions import (
    evaluate as evaluate,
    infer as infer,
    run_feeds as run_feeds,
    run_n as run_n,
    train as train,
)
from ferroflow._src.contrib.learn.heads import (
    Head as Head,
    binary_svm_head as binary_svm_head,
    multi_class_head as multi_class_head,
    multi_label_head as multi_label_head,
    poisson_regression_head as poisson_regression_head,
    regression_head as regression_head,
)
from ferroflow._src.contrib.learn.learn_modes import ModeKeys as ModeKeys
from ferroflow._src.contrib.learn.logistic_regressor import LogisticRegressor as LogisticRegressor
from ferroflow._src.contrib.learn.metric_spec import MetricSpec as MetricSpec
from ferroflow._src.contrib.learn.model_ops import (
    InputFnOps as InputFnOps,
    ModelFnOps as ModelFnOps,
    NotFittedError as NotFittedError,
    PredictionKey as PredictionKey,
    ProblemType as ProblemType,
)
from ferroflow._src.contrib.learn.multi_heads import multi_head as multi_head, no_op_train_fn as no_op_train_fn
from ferroflow._src.contrib.learn.roles import Evaluable as Evaluable, Trainable as Trainable
from ferroflow._src.contrib.learn.run_config import RunConfig as RunConfig
from ferroflow._src.contrib.learn.sk_compat import SKCompat as SKCompat
from ferroflow._src.contrib.learn.support_vectors import SVM as SVM
from ferroflow._src.contrib.learn.table_inputs import (
    extract_dask_data as extract_dask_data,
    extract_dask_labels as extract_dask_labels,
    extract_pandas_data as extract_pandas_data,
    extract_pandas_labels as extract_pandas_labels,
    extract_pandas_matrix as extract_pandas_matrix,
)
from ferroflow._src.estimator.run_config import TaskType as TaskType
from ferroflow._src.supervision.hooks.nan_tensor import NanLossDuringTrainingError as NanLossDuringTrainingError
from ferroflow.contrib.learn import python as python
from ferroflow.contrib.learn.python.learn import (  # type: ignore[attr-defined]  # noqa: F401  # made at their import
    datasets as datasets,
    graph_actions as graph_actions,
    learn_io as io,
    models as models,
    monitors as monitors,
    ops as ops,
    preprocessing as preprocessing,
    utils as utils,
)
from ferroflow.contrib.learn.python.learn.estimators import (  # type: ignore[import-not-found]  # made at its import
    head as head,
)

_tell_absent(globals())
