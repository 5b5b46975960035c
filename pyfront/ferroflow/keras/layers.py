"""`tf.keras.layers`: layers of models."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.activation_layers import (
    ELU as ELU,
    LeakyReLU as LeakyReLU,
    PReLU as PReLU,
    ReLU as ReLU,
    Softmax as Softmax,
    ThresholdedReLU as ThresholdedReLU,
)
from ferroflow._src.keras.attention_layers import AdditiveAttention as AdditiveAttention, Attention as Attention
from ferroflow._src.keras.base_layer import KerasLayer as _KerasLayer
from ferroflow._src.keras.batch_normalization_layer import BatchNormalization as BatchNormalization
from ferroflow._src.keras.convolution_layers import (
    Conv1D as Conv1D,
    Conv2D as Conv2D,
    Conv2DTranspose as Conv2DTranspose,
    Conv3D as Conv3D,
    Conv3DTranspose as Conv3DTranspose,
    DepthwiseConv2D as DepthwiseConv2D,
    SeparableConv1D as SeparableConv1D,
    SeparableConv2D as SeparableConv2D,
)
from ferroflow._src.keras.convolution_recurrent import ConvLSTM2D as ConvLSTM2D
from ferroflow._src.keras.core_layers import (
    Activation as Activation,
    Dense as Dense,
    Dropout as Dropout,
    Flatten as Flatten,
    Lambda as Lambda,
    Reshape as Reshape,
)
from ferroflow._src.keras.cudnn_layers import CuDNNGRU as CuDNNGRU, CuDNNLSTM as CuDNNLSTM
from ferroflow._src.keras.embedding_layer import Embedding as Embedding
from ferroflow._src.keras.feature_layers import DenseFeatures as DenseFeatures
from ferroflow._src.keras.input_layer import Input as Input, InputLayer as InputLayer
from ferroflow._src.keras.layer_normalization_layer import LayerNormalization as LayerNormalization
from ferroflow._src.keras.local_layers import (
    LocallyConnected1D as LocallyConnected1D,
    LocallyConnected2D as LocallyConnected2D,
)
from ferroflow._src.keras.merging_layers import (
    Add as Add,
    Average as Average,
    Concatenate as Concatenate,
    Dot as Dot,
    Maximum as Maximum,
    Minimum as Minimum,
    Multiply as Multiply,
    Subtract as Subtract,
    add as add,
    average as average,
    concatenate as concatenate,
    dot as dot,
    maximum as maximum,
    minimum as minimum,
    multiply as multiply,
    subtract as subtract,
)
from ferroflow._src.keras.noise_layers import (
    ActivityRegularization as ActivityRegularization,
    AlphaDropout as AlphaDropout,
    GaussianDropout as GaussianDropout,
    GaussianNoise as GaussianNoise,
    Masking as Masking,
    SpatialDropout1D as SpatialDropout1D,
    SpatialDropout2D as SpatialDropout2D,
    SpatialDropout3D as SpatialDropout3D,
)
from ferroflow._src.keras.pooling_layers import (
    AveragePooling1D as AveragePooling1D,
    AveragePooling2D as AveragePooling2D,
    AveragePooling3D as AveragePooling3D,
    GlobalAveragePooling1D as GlobalAveragePooling1D,
    GlobalAveragePooling2D as GlobalAveragePooling2D,
    GlobalAveragePooling3D as GlobalAveragePooling3D,
    GlobalMaxPooling1D as GlobalMaxPooling1D,
    GlobalMaxPooling2D as GlobalMaxPooling2D,
    GlobalMaxPooling3D as GlobalMaxPooling3D,
    MaxPooling1D as MaxPooling1D,
    MaxPooling2D as MaxPooling2D,
    MaxPooling3D as MaxPooling3D,
)
from ferroflow._src.keras.recurrent import GRU as GRU, LSTM as LSTM, SimpleRNN as SimpleRNN
from ferroflow._src.keras.recurrent_cells import (
    AbstractRNNCell as AbstractRNNCell,
    GRUCell as GRUCell,
    LSTMCell as LSTMCell,
    SimpleRNNCell as SimpleRNNCell,
    StackedRNNCells as StackedRNNCells,
)
from ferroflow._src.keras.recurrent_layer import RNN as RNN
from ferroflow._src.keras.serialization import (
    deserialize_layer as _deserialize,
    serialize_layer as _serialize,
)
from ferroflow._src.keras.spatial_layers import (
    Cropping1D as Cropping1D,
    Cropping2D as Cropping2D,
    Cropping3D as Cropping3D,
    Permute as Permute,
    RepeatVector as RepeatVector,
    UpSampling1D as UpSampling1D,
    UpSampling2D as UpSampling2D,
    UpSampling3D as UpSampling3D,
    ZeroPadding1D as ZeroPadding1D,
    ZeroPadding2D as ZeroPadding2D,
    ZeroPadding3D as ZeroPadding3D,
)
from ferroflow._src.keras.wrappers import (
    Bidirectional as Bidirectional,
    TimeDistributed as TimeDistributed,
    Wrapper as Wrapper,
)
from ferroflow._src.layers.input_spec import InputSpec as InputSpec

Layer = _KerasLayer
Convolution1D = Conv1D
Convolution2D = Conv2D
Convolution3D = Conv3D
Convolution2DTranspose = Conv2DTranspose
Convolution3DTranspose = Conv3DTranspose
SeparableConvolution1D = SeparableConv1D
SeparableConvolution2D = SeparableConv2D
MaxPool1D = MaxPooling1D
MaxPool2D = MaxPooling2D
MaxPool3D = MaxPooling3D
AvgPool1D = AveragePooling1D
AvgPool2D = AveragePooling2D
AvgPool3D = AveragePooling3D
GlobalMaxPool1D = GlobalMaxPooling1D
GlobalMaxPool2D = GlobalMaxPooling2D
GlobalMaxPool3D = GlobalMaxPooling3D
GlobalAvgPool1D = GlobalAveragePooling1D
GlobalAvgPool2D = GlobalAveragePooling2D
GlobalAvgPool3D = GlobalAveragePooling3D

deserialize = _deserialize
serialize = _serialize

_tell_absent(globals())
