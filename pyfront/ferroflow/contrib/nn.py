"""`tf.contrib.nn`: alpha dropout, a scaled softplus, selection, cross entropies with the old order of arguments, and
losses over sampled classes.
"""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.nn.activations import (
    alpha_dropout as alpha_dropout,
    scaled_softplus as scaled_softplus,
)
from ferroflow._src.contrib.nn.cross_entropies import (
    deprecated_flipped_sigmoid_cross_entropy_with_logits as deprecated_flipped_sigmoid_cross_entropy_with_logits,
    deprecated_flipped_softmax_cross_entropy_with_logits as deprecated_flipped_softmax_cross_entropy_with_logits,
    deprecated_flipped_sparse_softmax_cross_entropy_with_logits as deprecated_flipped_sparse_softmax_cross_entropy_with_logits,  # noqa: E501  # The formatter keeps `x as x` on one line.
)
from ferroflow._src.contrib.nn.sampled_losses import (
    rank_sampled_softmax_loss as rank_sampled_softmax_loss,
    sampled_sparse_softmax_loss as sampled_sparse_softmax_loss,
)
from ferroflow._src.ops.nn.conv import conv1d_transpose as conv1d_transpose
from ferroflow._src.ops.nn.ranking import nth_element as nth_element

_tell_absent(globals())
