"""`tf.nn`: building blocks of neural networks."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.losses.scaling import (
    compute_average_loss as compute_average_loss,
    scale_regularization_loss as scale_regularization_loss,
)
from ferroflow._src.ops.array.shaping import (
    depth_to_space as depth_to_space,
    space_to_batch as space_to_batch,
    space_to_depth as space_to_depth,
)
from ferroflow._src.ops.nn.activation import (
    bias_add as bias_add,
    crelu as crelu,
    elu as elu,
    leaky_relu as leaky_relu,
    relu as relu,
    relu6 as relu6,
    relu_layer as relu_layer,
    selu as selu,
    sigmoid as sigmoid,
    softplus as softplus,
    softsign as softsign,
    swish as swish,
    tanh as tanh,
    xw_plus_b as xw_plus_b,
)
from ferroflow._src.ops.nn.candidate_sampling import (
    all_candidate_sampler as all_candidate_sampler,
    compute_accidental_hits as compute_accidental_hits,
    fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler as learned_unigram_candidate_sampler,
    log_uniform_candidate_sampler as log_uniform_candidate_sampler,
    uniform_candidate_sampler as uniform_candidate_sampler,
)
from ferroflow._src.ops.nn.conv import (
    atrous_conv2d_transpose as atrous_conv2d_transpose,
    conv1d as conv1d,
    conv1d_transpose as conv1d_transpose,
    conv2d as conv2d,
    conv2d_backprop_filter as conv2d_backprop_filter,
    conv2d_backprop_input as conv2d_backprop_input,
    conv2d_transpose as conv2d_transpose,
    conv3d as conv3d,
    conv3d_backprop_filter as conv3d_backprop_filter,
    conv3d_backprop_filter_v2 as conv3d_backprop_filter_v2,
    conv3d_transpose as conv3d_transpose,
    deconv2d as deconv2d,
)
from ferroflow._src.ops.nn.conv_transpose import conv_transpose as conv_transpose
from ferroflow._src.ops.nn.convolution import (
    atrous_conv2d as atrous_conv2d,
    convolution as convolution,
    with_space_to_batch as with_space_to_batch,
)
from ferroflow._src.ops.nn.ctc import (
    collapse_repeated as collapse_repeated,
    ctc_beam_search_decoder as ctc_beam_search_decoder,
    ctc_beam_search_decoder_v2 as ctc_beam_search_decoder_v2,
    ctc_greedy_decoder as ctc_greedy_decoder,
    ctc_loss as ctc_loss,
    ctc_loss_v2 as ctc_loss_v2,
    ctc_unique_labels as ctc_unique_labels,
)
from ferroflow._src.ops.nn.depthwise import (
    depthwise_conv2d as depthwise_conv2d,
    depthwise_conv2d_native as depthwise_conv2d_native,
    depthwise_conv2d_native_backprop_filter as depthwise_conv2d_native_backprop_filter,
    depthwise_conv2d_native_backprop_input as depthwise_conv2d_native_backprop_input,
    separable_conv2d as separable_conv2d,
)
from ferroflow._src.ops.nn.embedding import (
    embedding_lookup as embedding_lookup,
    embedding_lookup_sparse as embedding_lookup_sparse,
    safe_embedding_lookup_sparse as safe_embedding_lookup_sparse,
)
from ferroflow._src.ops.nn.morphology import (
    dilation2d as dilation2d,
    erosion2d as erosion2d,
)
from ferroflow._src.ops.nn.normalization import (
    batch_norm_with_global_normalization as batch_norm_with_global_normalization,
    batch_normalization as batch_normalization,
    fused_batch_norm as fused_batch_norm,
    l2_loss as l2_loss,
    l2_normalize as l2_normalize,
    local_response_normalization as local_response_normalization,
    lrn as lrn,
    moments as moments,
    normalize_moments as normalize_moments,
    sufficient_statistics as sufficient_statistics,
    weighted_moments as weighted_moments,
    zero_fraction as zero_fraction,
)
from ferroflow._src.ops.nn.pooling import (
    avg_pool as avg_pool,
    avg_pool1d as avg_pool1d,
    avg_pool2d as avg_pool2d,
    avg_pool3d as avg_pool3d,
    avg_pool_v2 as avg_pool_v2,
    fractional_avg_pool as fractional_avg_pool,
    fractional_max_pool as fractional_max_pool,
    max_pool as max_pool,
    max_pool1d as max_pool1d,
    max_pool2d as max_pool2d,
    max_pool3d as max_pool3d,
    max_pool_v2 as max_pool_v2,
    max_pool_with_argmax as max_pool_with_argmax,
    pool as pool,
)
from ferroflow._src.ops.nn.ranking import (
    in_top_k as in_top_k,
    top_k as top_k,
)
from ferroflow._src.ops.nn.sampled_losses import (
    nce_loss as nce_loss,
    sampled_softmax_loss as sampled_softmax_loss,
)
from ferroflow._src.ops.nn.softmax import (
    log_poisson_loss as log_poisson_loss,
    log_softmax as log_softmax,
    sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits,
    softmax as softmax,
    softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2 as softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits,
)
from ferroflow._src.ops.quantization.levels import (
    quantized_avg_pool as quantized_avg_pool,
    quantized_conv2d as quantized_conv2d,
    quantized_max_pool as quantized_max_pool,
    quantized_relu_x as quantized_relu_x,
)
from ferroflow._src.ops.superseded import dropout as dropout
from ferroflow._src.rnn.dynamic_running import (
    bidirectional_dynamic_rnn as bidirectional_dynamic_rnn,
    dynamic_rnn as dynamic_rnn,
)
from ferroflow._src.rnn.raw_running import raw_rnn as raw_rnn
from ferroflow._src.rnn.renamed import (
    bidirectional_rnn as bidirectional_rnn,
    rnn as rnn,
    state_saving_rnn as state_saving_rnn,
)
from ferroflow._src.rnn.static_running import (
    static_bidirectional_rnn as static_bidirectional_rnn,
    static_rnn as static_rnn,
    static_state_saving_rnn as static_state_saving_rnn,
)
from ferroflow.nn import rnn_cell as rnn_cell, seq2seq as seq2seq

depthwise_conv2d_backprop_filter = depthwise_conv2d_native_backprop_filter
depthwise_conv2d_backprop_input = depthwise_conv2d_native_backprop_input

_tell_absent(globals())
