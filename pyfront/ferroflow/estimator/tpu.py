"""`tf.estimator.tpu`: the estimator of programs for TPUs, which can also run without one."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.tpu.tpu_estimator import (
    InputPipelineConfig as InputPipelineConfig,
    TPUConfig as TPUConfig,
    TPUEstimator as TPUEstimator,
    TPUEstimatorSpec as TPUEstimatorSpec,
    TPURunConfig as _TPURunConfig,
)

RunConfig = _TPURunConfig

_tell_absent(globals())
