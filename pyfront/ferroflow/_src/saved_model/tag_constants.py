"""Tags in common use for the graphs of a SavedModel."""

SERVING = "serve"
TRAINING = "train"
GPU = "gpu"
TPU = "tpu"
