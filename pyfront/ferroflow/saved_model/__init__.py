"""`tf.saved_model`: graphs with signatures, variables and assets, for serving; also by the names of TF 1.13 to 1.15."""

from ferroflow._src.saved_model.builder import SavedModelBuilder as _SavedModelBuilder
from ferroflow._src.saved_model.constants import ASSETS_DIRECTORY as ASSETS_DIRECTORY
from ferroflow._src.saved_model.constants import ASSETS_KEY as ASSETS_KEY
from ferroflow._src.saved_model.constants import LEGACY_INIT_OP_KEY as LEGACY_INIT_OP_KEY
from ferroflow._src.saved_model.constants import MAIN_OP_KEY as MAIN_OP_KEY
from ferroflow._src.saved_model.constants import SAVED_MODEL_FILENAME_PB as SAVED_MODEL_FILENAME_PB
from ferroflow._src.saved_model.constants import SAVED_MODEL_FILENAME_PBTXT as SAVED_MODEL_FILENAME_PBTXT
from ferroflow._src.saved_model.constants import SAVED_MODEL_SCHEMA_VERSION as SAVED_MODEL_SCHEMA_VERSION
from ferroflow._src.saved_model.constants import VARIABLES_DIRECTORY as VARIABLES_DIRECTORY
from ferroflow._src.saved_model.constants import VARIABLES_FILENAME as VARIABLES_FILENAME
from ferroflow._src.saved_model.loader import load as load
from ferroflow._src.saved_model.loader import maybe_saved_model_directory as maybe_saved_model_directory
from ferroflow._src.saved_model.main_op import main_op_with_restore as main_op_with_restore
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
from ferroflow._src.saved_model.signatures import build_signature_def as build_signature_def
from ferroflow._src.saved_model.signatures import classification_signature_def as classification_signature_def
from ferroflow._src.saved_model.signatures import is_valid_signature as is_valid_signature
from ferroflow._src.saved_model.signatures import predict_signature_def as predict_signature_def
from ferroflow._src.saved_model.signatures import regression_signature_def as regression_signature_def
from ferroflow._src.saved_model.simple_save import simple_save as simple_save
from ferroflow._src.saved_model.tag_constants import GPU as GPU
from ferroflow._src.saved_model.tag_constants import SERVING as SERVING
from ferroflow._src.saved_model.tag_constants import TPU as TPU
from ferroflow._src.saved_model.tag_constants import TRAINING as TRAINING
from ferroflow._src.saved_model.tensor_info import build_tensor_info as build_tensor_info
from ferroflow._src.saved_model.tensor_info import get_tensor_from_tensor_info as get_tensor_from_tensor_info
from ferroflow.saved_model import builder as builder
from ferroflow.saved_model import constants as constants
from ferroflow.saved_model import loader as loader
from ferroflow.saved_model import main_op as main_op
from ferroflow.saved_model import signature_constants as signature_constants
from ferroflow.saved_model import signature_def_utils as signature_def_utils
from ferroflow.saved_model import tag_constants as tag_constants
from ferroflow.saved_model import utils as utils

Builder = _SavedModelBuilder
contains_saved_model = maybe_saved_model_directory
