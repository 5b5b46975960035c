"""`tf.contrib.losses`: losses under their older names, with predictions before labels."""

from ferroflow._src.losses.leading_weights import absolute_difference as absolute_difference
from ferroflow._src.losses.leading_weights import add_loss as add_loss
from ferroflow._src.losses.leading_weights import compute_weighted_loss as compute_weighted_loss
from ferroflow._src.losses.leading_weights import cosine_distance as cosine_distance
from ferroflow._src.losses.leading_weights import get_losses as get_losses
from ferroflow._src.losses.leading_weights import get_regularization_losses as get_regularization_losses
from ferroflow._src.losses.leading_weights import get_total_loss as get_total_loss
from ferroflow._src.losses.leading_weights import hinge_loss as hinge_loss
from ferroflow._src.losses.leading_weights import log_loss as log_loss
from ferroflow._src.losses.leading_weights import mean_pairwise_squared_error as mean_pairwise_squared_error
from ferroflow._src.losses.leading_weights import mean_squared_error as mean_squared_error
from ferroflow._src.losses.leading_weights import sigmoid_cross_entropy as sigmoid_cross_entropy
from ferroflow._src.losses.leading_weights import softmax_cross_entropy as softmax_cross_entropy
from ferroflow._src.losses.leading_weights import sparse_softmax_cross_entropy as sparse_softmax_cross_entropy
