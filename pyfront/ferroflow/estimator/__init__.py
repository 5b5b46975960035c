"""`tf.estimator`: a model as a function, with the training, evaluation, prediction and export around it."""

from ferroflow._src.estimator.estimator import Estimator as Estimator
from ferroflow._src.estimator.estimator import WarmStartSettings as WarmStartSettings
from ferroflow._src.estimator.modes import ModeKeys as ModeKeys
from ferroflow._src.estimator.networks import DNNClassifier as DNNClassifier
from ferroflow._src.estimator.networks import DNNLinearCombinedClassifier as DNNLinearCombinedClassifier
from ferroflow._src.estimator.networks import DNNLinearCombinedRegressor as DNNLinearCombinedRegressor
from ferroflow._src.estimator.networks import DNNRegressor as DNNRegressor
from ferroflow._src.estimator.networks import LinearClassifier as LinearClassifier
from ferroflow._src.estimator.networks import LinearRegressor as LinearRegressor
from ferroflow._src.estimator.run_config import RunConfig as RunConfig
from ferroflow._src.estimator.spec import EstimatorSpec as EstimatorSpec
from ferroflow.estimator import export as export
from ferroflow.estimator import inputs as inputs
