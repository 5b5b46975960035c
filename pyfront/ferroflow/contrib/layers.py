"""`tf.contrib.layers`: initializers, regularizers and layers of models."""

from ferroflow._src.layers.encoders import bow_encoder as bow_encoder
from ferroflow._src.layers.encoders import embed_sequence as embed_sequence
from ferroflow._src.layers.fan_initializers import variance_scaling_initializer as variance_scaling_initializer
from ferroflow._src.layers.fan_initializers import xavier_initializer as xavier_initializer
from ferroflow._src.layers.fan_initializers import (
    xavier_initializer_conv2d as xavier_initializer_conv2d,
)
from ferroflow._src.layers.model_layers import avg_pool2d as avg_pool2d
from ferroflow._src.layers.model_layers import avg_pool3d as avg_pool3d
from ferroflow._src.layers.model_layers import batch_norm as batch_norm
from ferroflow._src.layers.model_layers import conv1d as conv1d
from ferroflow._src.layers.model_layers import conv2d as conv2d
from ferroflow._src.layers.model_layers import conv3d as conv3d
from ferroflow._src.layers.model_layers import convolution as convolution
from ferroflow._src.layers.model_layers import convolution1d as convolution1d
from ferroflow._src.layers.model_layers import convolution2d as convolution2d
from ferroflow._src.layers.model_layers import convolution3d as convolution3d
from ferroflow._src.layers.model_layers import dropout as dropout
from ferroflow._src.layers.model_layers import flatten as flatten
from ferroflow._src.layers.model_layers import fully_connected as fully_connected
from ferroflow._src.layers.model_layers import layer_norm as layer_norm
from ferroflow._src.layers.model_layers import linear as linear
from ferroflow._src.layers.model_layers import max_pool2d as max_pool2d
from ferroflow._src.layers.model_layers import max_pool3d as max_pool3d
from ferroflow._src.layers.model_layers import one_hot_encoding as one_hot_encoding
from ferroflow._src.layers.model_layers import repeat as repeat
from ferroflow._src.layers.model_layers import stack as stack
from ferroflow._src.layers.regularizers import apply_regularization as apply_regularization
from ferroflow._src.layers.regularizers import l1_l2_regularizer as l1_l2_regularizer
from ferroflow._src.layers.regularizers import l1_regularizer as l1_regularizer
from ferroflow._src.layers.regularizers import l2_regularizer as l2_regularizer
from ferroflow._src.layers.regularizers import sum_regularizer as sum_regularizer
from ferroflow._src.ops.nn.embedding import (
    safe_embedding_lookup_sparse as safe_embedding_lookup_sparse,
)
