"""`tf.contrib.labeled_tensor.nn`: activations and losses of labeled tensors."""

from ferroflow._src.contrib.labeled_tensor.elementwise import define_binary_op, define_unary_op
from ferroflow._src.contrib.nn.cross_entropies import (
    deprecated_flipped_sigmoid_cross_entropy_with_logits,
    deprecated_flipped_softmax_cross_entropy_with_logits,
    deprecated_flipped_sparse_softmax_cross_entropy_with_logits,
)
from ferroflow._src.ops.nn import activation, normalization, softmax as softmaxes

relu = define_unary_op("relu", activation.relu)
relu6 = define_unary_op("relu6", activation.relu6)
crelu = define_unary_op("crelu", activation.crelu)
elu = define_unary_op("elu", activation.elu)
softplus = define_unary_op("softplus", activation.softplus)
l2_loss = define_unary_op("l2_loss", normalization.l2_loss)
softmax = define_unary_op("softmax", softmaxes.softmax)
log_softmax = define_unary_op("log_softmax", softmaxes.log_softmax)
sigmoid_cross_entropy_with_logits = define_binary_op(
    "sigmoid_cross_entropy_with_logits", deprecated_flipped_sigmoid_cross_entropy_with_logits
)
softmax_cross_entropy_with_logits = define_binary_op(
    "softmax_cross_entropy_with_logits", deprecated_flipped_softmax_cross_entropy_with_logits
)
sparse_softmax_cross_entropy_with_logits = define_binary_op(
    "sparse_softmax_cross_entropy_with_logits", deprecated_flipped_sparse_softmax_cross_entropy_with_logits
)
