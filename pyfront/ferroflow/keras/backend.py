"""`tf.keras.backend`: what models share, and functions of tensors with Keras's names and arguments."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.framework.default_graph import name_scope as name_scope
from ferroflow._src.keras.activations import (
    elu as elu,
    hard_sigmoid as hard_sigmoid,
    relu as relu,
    sigmoid as sigmoid,
    softplus as softplus,
    softsign as softsign,
    tanh as tanh,
)
from ferroflow._src.keras.backend import (
    batch_get_value as batch_get_value,
    batch_set_value as batch_set_value,
    clear_session as clear_session,
    get_session as get_session,
    get_value as get_value,
    int_shape as int_shape,
    learning_phase as learning_phase,
    learning_phase_scope as learning_phase_scope,
    manual_variable_initialization as manual_variable_initialization,
    set_learning_phase as set_learning_phase,
    set_session as set_session,
    set_value as set_value,
)
from ferroflow._src.keras.backend_ctc import (
    ctc_batch_cost as ctc_batch_cost,
    ctc_decode as ctc_decode,
    ctc_label_dense_to_sparse as ctc_label_dense_to_sparse,
)
from ferroflow._src.keras.backend_function import Function as Function, function as function
from ferroflow._src.keras.backend_functions import (
    backend as backend,
    foldl as foldl,
    foldr as foldr,
    map_fn as map_fn,
    print_tensor as print_tensor,
    reshape as reshape,
    shape as shape,
    softmax as softmax,
    squeeze as squeeze,
    stop_gradient as stop_gradient,
    transpose as transpose,
)
from ferroflow._src.keras.backend_local import local_conv1d as local_conv1d, local_conv2d as local_conv2d
from ferroflow._src.keras.backend_math import (
    all as all,
    any as any,
    argmax as argmax,
    argmin as argmin,
    batch_dot as batch_dot,
    clip as clip,
    cumprod as cumprod,
    cumsum as cumsum,
    dot as dot,
    logsumexp as logsumexp,
    max as max,
    mean as mean,
    min as min,
    pow as pow,
    prod as prod,
    sqrt as sqrt,
    std as std,
    sum as sum,
    var as var,
)
from ferroflow._src.keras.backend_nn import (
    batch_normalization as batch_normalization,
    bias_add as bias_add,
    binary_crossentropy as binary_crossentropy,
    categorical_crossentropy as categorical_crossentropy,
    conv1d as conv1d,
    conv2d as conv2d,
    dropout as dropout,
    gradients as gradients,
    in_test_phase as in_test_phase,
    in_top_k as in_top_k,
    in_train_phase as in_train_phase,
    l2_normalize as l2_normalize,
    moving_average_update as moving_average_update,
    normalize_batch_in_training as normalize_batch_in_training,
    pool2d as pool2d,
    random_binomial as random_binomial,
    random_normal as random_normal,
    random_uniform as random_uniform,
    separable_conv2d as separable_conv2d,
    sparse_categorical_crossentropy as sparse_categorical_crossentropy,
    switch as switch,
    truncated_normal as truncated_normal,
    update as update,
    update_add as update_add,
    update_sub as update_sub,
)
from ferroflow._src.keras.backend_rnn import rnn as rnn
from ferroflow._src.keras.backend_shaping import (
    arange as arange,
    batch_flatten as batch_flatten,
    concatenate as concatenate,
    constant as constant,
    count_params as count_params,
    dtype as dtype,
    eval as eval,
    expand_dims as expand_dims,
    eye as eye,
    flatten as flatten,
    gather as gather,
    is_sparse as is_sparse,
    ndim as ndim,
    one_hot as one_hot,
    ones as ones,
    ones_like as ones_like,
    permute_dimensions as permute_dimensions,
    placeholder as placeholder,
    random_normal_variable as random_normal_variable,
    random_uniform_variable as random_uniform_variable,
    repeat as repeat,
    repeat_elements as repeat_elements,
    resize_images as resize_images,
    reverse as reverse,
    spatial_2d_padding as spatial_2d_padding,
    stack as stack,
    temporal_padding as temporal_padding,
    tile as tile,
    to_dense as to_dense,
    variable as variable,
    zeros as zeros,
    zeros_like as zeros_like,
)
from ferroflow._src.keras.backend_volumes import (
    conv2d_transpose as conv2d_transpose,
    conv3d as conv3d,
    pool3d as pool3d,
    resize_volumes as resize_volumes,
    spatial_3d_padding as spatial_3d_padding,
)
from ferroflow._src.keras.settings import (
    cast_to_floatx as cast_to_floatx,
    epsilon as epsilon,
    floatx as floatx,
    get_uid as get_uid,
    image_data_format as image_data_format,
    reset_uids as reset_uids,
    set_epsilon as set_epsilon,
    set_floatx as set_floatx,
    set_image_data_format as set_image_data_format,
)
from ferroflow._src.ops.array.making import identity as identity
from ferroflow._src.ops.math.arithmetic import maximum as maximum, minimum as minimum
from ferroflow._src.ops.math.cast import cast as cast
from ferroflow._src.ops.math.comparison import (
    equal as equal,
    greater as greater,
    greater_equal as greater_equal,
    less as less,
    less_equal as less_equal,
    not_equal as not_equal,
)
from ferroflow._src.ops.math.elementwise import (
    abs as abs,
    cos as cos,
    exp as exp,
    log as log,
    round as round,
    sign as sign,
    sin as sin,
    square as square,
)

_tell_absent(globals())
