"""`tf.estimator.export`: what an exported model takes and gives."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.estimator.export_outputs import (
    ClassificationOutput as ClassificationOutput,
    ExportOutput as ExportOutput,
    PredictOutput as PredictOutput,
    RegressionOutput as RegressionOutput,
)
from ferroflow._src.estimator.serving import (
    ServingInputReceiver as ServingInputReceiver,
    TensorServingInputReceiver as TensorServingInputReceiver,
    build_parsing_serving_input_receiver_fn as build_parsing_serving_input_receiver_fn,
    build_raw_serving_input_receiver_fn as build_raw_serving_input_receiver_fn,
)

_tell_absent(globals())
