"""Names of the files and collections of a SavedModel."""

ASSETS_DIRECTORY = "assets"
VARIABLES_DIRECTORY = "variables"
# The prefix of the checkpoint in the folder of variables.
VARIABLES_FILENAME = "variables"
SAVED_MODEL_FILENAME_PB = "saved_model.pb"
SAVED_MODEL_FILENAME_PBTXT = "saved_model.pbtxt"
SAVED_MODEL_SCHEMA_VERSION = 1
# Collections of a MetaGraphDef.
ASSETS_KEY = "saved_model_assets"
LEGACY_INIT_OP_KEY = "legacy_init_op"
MAIN_OP_KEY = "saved_model_main_op"
TRAIN_OP_KEY = "saved_model_train_op"
# TF 1.14: the signature, and its output, that name the operation to run after loading.
INIT_OP_SIGNATURE_KEY = "__saved_model_init_op"
TRAIN_OP_SIGNATURE_KEY = "__saved_model_train_op"
