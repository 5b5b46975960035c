"""`tf.contrib.learn`: estimators that train with `fit`, experiments, text made numbers, and data to learn from."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.factorization.learn_kmeans import KMeansClustering as KMeansClustering
from ferroflow._src.contrib.learn import learn_runner as learn_runner, monitors as monitors
from ferroflow._src.contrib.learn.canned import (
    DNNClassifier as DNNClassifier,
    DNNLinearCombinedClassifier as DNNLinearCombinedClassifier,
    DNNLinearCombinedRegressor as DNNLinearCombinedRegressor,
    DNNRegressor as DNNRegressor,
    LinearClassifier as LinearClassifier,
    LinearRegressor as LinearRegressor,
    infer_real_valued_columns_from_input as infer_real_valued_columns_from_input,
    infer_real_valued_columns_from_input_fn as infer_real_valued_columns_from_input_fn,
)
from ferroflow._src.contrib.learn.estimator import (
    BaseEstimator as BaseEstimator,
    Estimator as Estimator,
    SKCompat as SKCompat,
)
from ferroflow._src.contrib.learn.experiment import Experiment as Experiment
from ferroflow._src.contrib.learn.learn_modes import ModeKeys as ModeKeys
from ferroflow._src.contrib.learn.model_ops import (
    InputFnOps as InputFnOps,
    MetricSpec as MetricSpec,
    ModelFnOps as ModelFnOps,
    NotFittedError as NotFittedError,
    PredictionKey as PredictionKey,
    ProblemType as ProblemType,
)
from ferroflow._src.contrib.learn.run_config import RunConfig as RunConfig
from ferroflow._src.estimator.run_config import TaskType as TaskType
from ferroflow.contrib.learn import python as python
from ferroflow.contrib.learn.python.learn import (  # type: ignore[attr-defined]  # made when they are imported
    datasets as datasets,
    models as models,
    ops as ops,
    preprocessing as preprocessing,
)

_tell_absent(globals())
