"""`tf.saved_model.utils`: tensors as messages."""

from ferroflow._src.saved_model.tensor_info import build_tensor_info as build_tensor_info
from ferroflow._src.saved_model.tensor_info import get_tensor_from_tensor_info as get_tensor_from_tensor_info
