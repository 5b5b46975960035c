"""`tf.saved_model.tag_constants`: tags of graphs."""

from ferroflow._src.saved_model.tag_constants import GPU as GPU
from ferroflow._src.saved_model.tag_constants import SERVING as SERVING
from ferroflow._src.saved_model.tag_constants import TPU as TPU
from ferroflow._src.saved_model.tag_constants import TRAINING as TRAINING
