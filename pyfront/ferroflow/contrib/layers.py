"""`tf.contrib.layers`: initializers, regularizers and layers of models."""

from ferroflow._src.layers.fan_initializers import variance_scaling_initializer as variance_scaling_initializer
from ferroflow._src.layers.fan_initializers import xavier_initializer as xavier_initializer
from ferroflow._src.layers.fan_initializers import (
    xavier_initializer_conv2d as xavier_initializer_conv2d,
)
from ferroflow._src.layers.model_layers import flatten as flatten
from ferroflow._src.layers.model_layers import fully_connected as fully_connected
from ferroflow._src.layers.regularizers import apply_regularization as apply_regularization
from ferroflow._src.layers.regularizers import l1_l2_regularizer as l1_l2_regularizer
from ferroflow._src.layers.regularizers import l1_regularizer as l1_regularizer
from ferroflow._src.layers.regularizers import l2_regularizer as l2_regularizer
from ferroflow._src.layers.regularizers import sum_regularizer as sum_regularizer
