"""`tf.losses`: what a model is trained to make small."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.losses.classification import (
    hinge_loss as hinge_loss,
    sigmoid_cross_entropy as sigmoid_cross_entropy,
    softmax_cross_entropy as softmax_cross_entropy,
    sparse_softmax_cross_entropy as sparse_softmax_cross_entropy,
)
from ferroflow._src.losses.collections import (
    add_loss as add_loss,
    get_losses as get_losses,
    get_regularization_loss as get_regularization_loss,
    get_regularization_losses as get_regularization_losses,
    get_total_loss as get_total_loss,
)
from ferroflow._src.losses.regression import (
    absolute_difference as absolute_difference,
    cosine_distance as cosine_distance,
    huber_loss as huber_loss,
    log_loss as log_loss,
    mean_pairwise_squared_error as mean_pairwise_squared_error,
    mean_squared_error as mean_squared_error,
)
from ferroflow._src.losses.weighting import Reduction as Reduction, compute_weighted_loss as compute_weighted_loss

_tell_absent(globals())
