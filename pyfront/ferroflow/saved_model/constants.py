"""`tf.saved_model.constants`: names of files and collections."""

from ferroflow._src.saved_model.constants import ASSETS_DIRECTORY as ASSETS_DIRECTORY
from ferroflow._src.saved_model.constants import ASSETS_KEY as ASSETS_KEY
from ferroflow._src.saved_model.constants import LEGACY_INIT_OP_KEY as LEGACY_INIT_OP_KEY
from ferroflow._src.saved_model.constants import MAIN_OP_KEY as MAIN_OP_KEY
from ferroflow._src.saved_model.constants import SAVED_MODEL_FILENAME_PB as SAVED_MODEL_FILENAME_PB
from ferroflow._src.saved_model.constants import SAVED_MODEL_FILENAME_PBTXT as SAVED_MODEL_FILENAME_PBTXT
from ferroflow._src.saved_model.constants import SAVED_MODEL_SCHEMA_VERSION as SAVED_MODEL_SCHEMA_VERSION
from ferroflow._src.saved_model.constants import VARIABLES_DIRECTORY as VARIABLES_DIRECTORY
from ferroflow._src.saved_model.constants import VARIABLES_FILENAME as VARIABLES_FILENAME
