"""`tf.saved_model.signature_constants`: names of methods, inputs and outputs."""

from ferroflow._src.saved_model.signature_constants import CLASSIFY_INPUTS as CLASSIFY_INPUTS
from ferroflow._src.saved_model.signature_constants import CLASSIFY_METHOD_NAME as CLASSIFY_METHOD_NAME
from ferroflow._src.saved_model.signature_constants import CLASSIFY_OUTPUT_CLASSES as CLASSIFY_OUTPUT_CLASSES
from ferroflow._src.saved_model.signature_constants import CLASSIFY_OUTPUT_SCORES as CLASSIFY_OUTPUT_SCORES
from ferroflow._src.saved_model.signature_constants import (
    DEFAULT_SERVING_SIGNATURE_DEF_KEY as DEFAULT_SERVING_SIGNATURE_DEF_KEY,
)
from ferroflow._src.saved_model.signature_constants import PREDICT_INPUTS as PREDICT_INPUTS
from ferroflow._src.saved_model.signature_constants import PREDICT_METHOD_NAME as PREDICT_METHOD_NAME
from ferroflow._src.saved_model.signature_constants import PREDICT_OUTPUTS as PREDICT_OUTPUTS
from ferroflow._src.saved_model.signature_constants import REGRESS_INPUTS as REGRESS_INPUTS
from ferroflow._src.saved_model.signature_constants import REGRESS_METHOD_NAME as REGRESS_METHOD_NAME
from ferroflow._src.saved_model.signature_constants import REGRESS_OUTPUTS as REGRESS_OUTPUTS
