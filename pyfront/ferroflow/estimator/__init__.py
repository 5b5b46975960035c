"""`tf.estimator`: a model as a function, with the training, evaluation, prediction and export around it."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.checkpoint.warm_start import VocabInfo as VocabInfo
from ferroflow._src.estimator.baseline import (
    BaselineClassifier as BaselineClassifier,
    BaselineRegressor as BaselineRegressor,
)
from ferroflow._src.estimator.boosted_trees import (
    BoostedTreesClassifier as BoostedTreesClassifier,
    BoostedTreesEstimator as BoostedTreesEstimator,
    BoostedTreesRegressor as BoostedTreesRegressor,
)
from ferroflow._src.estimator.composed_head import Head as Head
from ferroflow._src.estimator.estimator import Estimator as Estimator
from ferroflow._src.estimator.exporters import (
    BestExporter as BestExporter,
    Exporter as Exporter,
    FinalExporter as FinalExporter,
    LatestExporter as LatestExporter,
)
from ferroflow._src.estimator.extenders import add_metrics as add_metrics
from ferroflow._src.estimator.head_estimators import (
    BaselineEstimator as BaselineEstimator,
    DNNEstimator as DNNEstimator,
    DNNLinearCombinedEstimator as DNNLinearCombinedEstimator,
    LinearEstimator as LinearEstimator,
)
from ferroflow._src.estimator.modes import ModeKeys as ModeKeys
from ferroflow._src.estimator.networks import (
    DNNClassifier as DNNClassifier,
    DNNLinearCombinedClassifier as DNNLinearCombinedClassifier,
    DNNLinearCombinedRegressor as DNNLinearCombinedRegressor,
    DNNRegressor as DNNRegressor,
    LinearClassifier as LinearClassifier,
    LinearRegressor as LinearRegressor,
)
from ferroflow._src.estimator.parsing import (
    classifier_parse_example_spec as classifier_parse_example_spec,
    regressor_parse_example_spec as regressor_parse_example_spec,
)
from ferroflow._src.estimator.public_heads import (
    BinaryClassHead as BinaryClassHead,
    LogisticRegressionHead as LogisticRegressionHead,
    MultiClassHead as MultiClassHead,
    MultiLabelHead as MultiLabelHead,
    PoissonRegressionHead as PoissonRegressionHead,
    RegressionHead as RegressionHead,
)
from ferroflow._src.estimator.public_multi_head import MultiHead as MultiHead
from ferroflow._src.estimator.run_config import RunConfig as RunConfig
from ferroflow._src.estimator.spec import EstimatorSpec as EstimatorSpec
from ferroflow._src.estimator.train_and_evaluate import (
    EvalSpec as EvalSpec,
    TrainSpec as TrainSpec,
    train_and_evaluate as train_and_evaluate,
)
from ferroflow._src.estimator.warm_starting import WarmStartSettings as WarmStartSettings
from ferroflow._src.supervision.hooks.checkpoint_saver import (
    CheckpointSaverHook as CheckpointSaverHook,
    CheckpointSaverListener as CheckpointSaverListener,
)
from ferroflow._src.supervision.hooks.feed_fn import FeedFnHook as FeedFnHook
from ferroflow._src.supervision.hooks.final_ops import FinalOpsHook as FinalOpsHook
from ferroflow._src.supervision.hooks.global_step_waiter import GlobalStepWaiterHook as GlobalStepWaiterHook
from ferroflow._src.supervision.hooks.logging_tensor import LoggingTensorHook as LoggingTensorHook
from ferroflow._src.supervision.hooks.nan_tensor import (
    NanLossDuringTrainingError as NanLossDuringTrainingError,
    NanTensorHook as NanTensorHook,
)
from ferroflow._src.supervision.hooks.profiler import ProfilerHook as ProfilerHook
from ferroflow._src.supervision.hooks.step_counter import StepCounterHook as StepCounterHook
from ferroflow._src.supervision.hooks.stop_at_step import StopAtStepHook as StopAtStepHook
from ferroflow._src.supervision.hooks.summary_saver import SummarySaverHook as SummarySaverHook
from ferroflow._src.supervision.hooks.timers import SecondOrStepTimer as SecondOrStepTimer
from ferroflow._src.supervision.session_run_hook import (
    SessionRunArgs as SessionRunArgs,
    SessionRunContext as SessionRunContext,
    SessionRunHook as SessionRunHook,
    SessionRunValues as SessionRunValues,
)
from ferroflow.estimator import experimental as experimental, export as export, inputs as inputs, tpu as tpu

_tell_absent(globals())
