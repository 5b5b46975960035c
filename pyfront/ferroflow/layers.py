"""`tf.layers`: functions of tensors that own their variables."""

from ferroflow._src.layers.convolution import Conv1D as Conv1D
from ferroflow._src.layers.convolution import Conv2D as Conv2D
from ferroflow._src.layers.convolution import Conv3D as Conv3D
from ferroflow._src.layers.convolution import conv1d as conv1d
from ferroflow._src.layers.convolution import conv2d as conv2d
from ferroflow._src.layers.convolution import conv3d as conv3d
from ferroflow._src.layers.dense import Dense as Dense
from ferroflow._src.layers.dense import dense as dense
from ferroflow._src.layers.dropout import Dropout as Dropout
from ferroflow._src.layers.dropout import dropout as dropout
from ferroflow._src.layers.flatten import Flatten as Flatten
from ferroflow._src.layers.flatten import flatten as flatten
from ferroflow._src.layers.input_spec import InputSpec as InputSpec
from ferroflow._src.layers.layer import Layer as Layer
from ferroflow._src.layers.separable_convolution import SeparableConv1D as SeparableConv1D
from ferroflow._src.layers.separable_convolution import SeparableConv2D as SeparableConv2D
from ferroflow._src.layers.separable_convolution import separable_conv1d as separable_conv1d
from ferroflow._src.layers.separable_convolution import separable_conv2d as separable_conv2d
from ferroflow._src.layers.transposed_convolution import Conv2DTranspose as Conv2DTranspose
from ferroflow._src.layers.transposed_convolution import Conv3DTranspose as Conv3DTranspose
from ferroflow._src.layers.transposed_convolution import conv2d_transpose as conv2d_transpose
from ferroflow._src.layers.transposed_convolution import conv3d_transpose as conv3d_transpose
