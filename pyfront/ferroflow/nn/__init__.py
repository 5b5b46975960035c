"""`tf.nn`: building blocks of neural networks."""

from ferroflow._src.ops.array.shaping import (
    depth_to_space as depth_to_space,
)
from ferroflow._src.ops.array.shaping import (
    space_to_batch as space_to_batch,
)
from ferroflow._src.ops.array.shaping import (
    space_to_depth as space_to_depth,
)
from ferroflow._src.ops.nn.activation import (
    bias_add as bias_add,
)
from ferroflow._src.ops.nn.activation import (
    crelu as crelu,
)
from ferroflow._src.ops.nn.activation import (
    elu as elu,
)
from ferroflow._src.ops.nn.activation import (
    leaky_relu as leaky_relu,
)
from ferroflow._src.ops.nn.activation import (
    relu as relu,
)
from ferroflow._src.ops.nn.activation import (
    relu6 as relu6,
)
from ferroflow._src.ops.nn.activation import (
    relu_layer as relu_layer,
)
from ferroflow._src.ops.nn.activation import (
    selu as selu,
)
from ferroflow._src.ops.nn.activation import (
    sigmoid as sigmoid,
)
from ferroflow._src.ops.nn.activation import (
    softplus as softplus,
)
from ferroflow._src.ops.nn.activation import (
    softsign as softsign,
)
from ferroflow._src.ops.nn.activation import (
    swish as swish,
)
from ferroflow._src.ops.nn.activation import (
    tanh as tanh,
)
from ferroflow._src.ops.nn.activation import (
    xw_plus_b as xw_plus_b,
)
from ferroflow._src.ops.nn.candidate_sampling import (
    all_candidate_sampler as all_candidate_sampler,
)
from ferroflow._src.ops.nn.candidate_sampling import (
    compute_accidental_hits as compute_accidental_hits,
)
from ferroflow._src.ops.nn.candidate_sampling import (
    fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
)
from ferroflow._src.ops.nn.candidate_sampling import (
    learned_unigram_candidate_sampler as learned_unigram_candidate_sampler,
)
from ferroflow._src.ops.nn.candidate_sampling import (
    log_uniform_candidate_sampler as log_uniform_candidate_sampler,
)
from ferroflow._src.ops.nn.candidate_sampling import (
    uniform_candidate_sampler as uniform_candidate_sampler,
)
from ferroflow._src.ops.nn.conv import (
    atrous_conv2d_transpose as atrous_conv2d_transpose,
)
from ferroflow._src.ops.nn.conv import (
    conv1d as conv1d,
)
from ferroflow._src.ops.nn.conv import (
    conv2d as conv2d,
)
from ferroflow._src.ops.nn.conv import (
    conv2d_backprop_filter as conv2d_backprop_filter,
)
from ferroflow._src.ops.nn.conv import (
    conv2d_backprop_input as conv2d_backprop_input,
)
from ferroflow._src.ops.nn.conv import (
    conv2d_transpose as conv2d_transpose,
)
from ferroflow._src.ops.nn.conv import (
    conv3d as conv3d,
)
from ferroflow._src.ops.nn.conv import (
    conv3d_backprop_filter as conv3d_backprop_filter,
)
from ferroflow._src.ops.nn.conv import (
    conv3d_backprop_filter_v2 as conv3d_backprop_filter_v2,
)
from ferroflow._src.ops.nn.conv import (
    conv3d_transpose as conv3d_transpose,
)
from ferroflow._src.ops.nn.conv import (
    deconv2d as deconv2d,
)
from ferroflow._src.ops.nn.convolution import (
    atrous_conv2d as atrous_conv2d,
)
from ferroflow._src.ops.nn.convolution import (
    convolution as convolution,
)
from ferroflow._src.ops.nn.convolution import (
    with_space_to_batch as with_space_to_batch,
)
from ferroflow._src.ops.nn.ctc import (
    collapse_repeated as collapse_repeated,
)
from ferroflow._src.ops.nn.ctc import (
    ctc_beam_search_decoder as ctc_beam_search_decoder,
)
from ferroflow._src.ops.nn.ctc import (
    ctc_beam_search_decoder_v2 as ctc_beam_search_decoder_v2,
)
from ferroflow._src.ops.nn.ctc import (
    ctc_greedy_decoder as ctc_greedy_decoder,
)
from ferroflow._src.ops.nn.ctc import (
    ctc_loss as ctc_loss,
)
from ferroflow._src.ops.nn.ctc import (
    ctc_loss_v2 as ctc_loss_v2,
)
from ferroflow._src.ops.nn.ctc import (
    ctc_unique_labels as ctc_unique_labels,
)
from ferroflow._src.ops.nn.depthwise import (
    depthwise_conv2d as depthwise_conv2d,
)
from ferroflow._src.ops.nn.depthwise import (
    depthwise_conv2d_native as depthwise_conv2d_native,
)
from ferroflow._src.ops.nn.depthwise import (
    depthwise_conv2d_native_backprop_filter as depthwise_conv2d_native_backprop_filter,
)
from ferroflow._src.ops.nn.depthwise import (
    depthwise_conv2d_native_backprop_input as depthwise_conv2d_native_backprop_input,
)
from ferroflow._src.ops.nn.depthwise import (
    separable_conv2d as separable_conv2d,
)
from ferroflow._src.ops.nn.embedding import (
    embedding_lookup as embedding_lookup,
)
from ferroflow._src.ops.nn.embedding import (
    embedding_lookup_sparse as embedding_lookup_sparse,
)
from ferroflow._src.ops.nn.embedding import (
    safe_embedding_lookup_sparse as safe_embedding_lookup_sparse,
)
from ferroflow._src.ops.nn.morphology import (
    dilation2d as dilation2d,
)
from ferroflow._src.ops.nn.morphology import (
    erosion2d as erosion2d,
)
from ferroflow._src.ops.nn.normalization import (
    batch_norm_with_global_normalization as batch_norm_with_global_normalization,
)
from ferroflow._src.ops.nn.normalization import (
    batch_normalization as batch_normalization,
)
from ferroflow._src.ops.nn.normalization import (
    fused_batch_norm as fused_batch_norm,
)
from ferroflow._src.ops.nn.normalization import (
    l2_loss as l2_loss,
)
from ferroflow._src.ops.nn.normalization import (
    l2_normalize as l2_normalize,
)
from ferroflow._src.ops.nn.normalization import (
    local_response_normalization as local_response_normalization,
)
from ferroflow._src.ops.nn.normalization import (
    lrn as lrn,
)
from ferroflow._src.ops.nn.normalization import (
    moments as moments,
)
from ferroflow._src.ops.nn.normalization import (
    normalize_moments as normalize_moments,
)
from ferroflow._src.ops.nn.normalization import (
    sufficient_statistics as sufficient_statistics,
)
from ferroflow._src.ops.nn.normalization import (
    weighted_moments as weighted_moments,
)
from ferroflow._src.ops.nn.normalization import (
    zero_fraction as zero_fraction,
)
from ferroflow._src.ops.nn.pooling import (
    avg_pool as avg_pool,
)
from ferroflow._src.ops.nn.pooling import (
    avg_pool1d as avg_pool1d,
)
from ferroflow._src.ops.nn.pooling import (
    avg_pool2d as avg_pool2d,
)
from ferroflow._src.ops.nn.pooling import (
    avg_pool3d as avg_pool3d,
)
from ferroflow._src.ops.nn.pooling import (
    avg_pool_v2 as avg_pool_v2,
)
from ferroflow._src.ops.nn.pooling import (
    fractional_avg_pool as fractional_avg_pool,
)
from ferroflow._src.ops.nn.pooling import (
    fractional_max_pool as fractional_max_pool,
)
from ferroflow._src.ops.nn.pooling import (
    max_pool as max_pool,
)
from ferroflow._src.ops.nn.pooling import (
    max_pool1d as max_pool1d,
)
from ferroflow._src.ops.nn.pooling import (
    max_pool2d as max_pool2d,
)
from ferroflow._src.ops.nn.pooling import (
    max_pool3d as max_pool3d,
)
from ferroflow._src.ops.nn.pooling import (
    max_pool_v2 as max_pool_v2,
)
from ferroflow._src.ops.nn.pooling import (
    max_pool_with_argmax as max_pool_with_argmax,
)
from ferroflow._src.ops.nn.pooling import (
    pool as pool,
)
from ferroflow._src.ops.nn.ranking import (
    in_top_k as in_top_k,
)
from ferroflow._src.ops.nn.ranking import (
    top_k as top_k,
)
from ferroflow._src.ops.nn.sampled_losses import (
    nce_loss as nce_loss,
)
from ferroflow._src.ops.nn.sampled_losses import (
    sampled_softmax_loss as sampled_softmax_loss,
)
from ferroflow._src.ops.nn.softmax import (
    log_poisson_loss as log_poisson_loss,
)
from ferroflow._src.ops.nn.softmax import (
    log_softmax as log_softmax,
)
from ferroflow._src.ops.nn.softmax import (
    sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits,
)
from ferroflow._src.ops.nn.softmax import (
    softmax as softmax,
)
from ferroflow._src.ops.nn.softmax import (
    softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits,
)
from ferroflow._src.ops.nn.softmax import (
    softmax_cross_entropy_with_logits_v2 as softmax_cross_entropy_with_logits_v2,
)
from ferroflow._src.ops.nn.softmax import (
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
)
from ferroflow._src.ops.nn.softmax import (
    weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits,
)
from ferroflow._src.ops.superseded import dropout as dropout
from ferroflow._src.rnn.dynamic_running import (
    bidirectional_dynamic_rnn as bidirectional_dynamic_rnn,
)
from ferroflow._src.rnn.dynamic_running import (
    dynamic_rnn as dynamic_rnn,
)
from ferroflow._src.rnn.raw_running import (
    raw_rnn as raw_rnn,
)
from ferroflow._src.rnn.renamed import bidirectional_rnn as bidirectional_rnn
from ferroflow._src.rnn.renamed import rnn as rnn
from ferroflow._src.rnn.renamed import state_saving_rnn as state_saving_rnn
from ferroflow._src.rnn.static_running import (
    static_bidirectional_rnn as static_bidirectional_rnn,
)
from ferroflow._src.rnn.static_running import (
    static_rnn as static_rnn,
)
from ferroflow._src.rnn.static_running import (
    static_state_saving_rnn as static_state_saving_rnn,
)
from ferroflow.nn import rnn_cell as rnn_cell
from ferroflow.nn import seq2seq as seq2seq
