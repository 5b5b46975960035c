"""`tf.estimator.export`: what an exported model takes and gives."""

from ferroflow._src.estimator.export_outputs import ClassificationOutput as ClassificationOutput
from ferroflow._src.estimator.export_outputs import ExportOutput as ExportOutput
from ferroflow._src.estimator.export_outputs import PredictOutput as PredictOutput
from ferroflow._src.estimator.export_outputs import RegressionOutput as RegressionOutput
from ferroflow._src.estimator.serving import ServingInputReceiver as ServingInputReceiver
from ferroflow._src.estimator.serving import (
    build_parsing_serving_input_receiver_fn as build_parsing_serving_input_receiver_fn,
)
from ferroflow._src.estimator.serving import (
    build_raw_serving_input_receiver_fn as build_raw_serving_input_receiver_fn,
)
