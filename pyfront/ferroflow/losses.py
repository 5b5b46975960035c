"""`tf.losses`: what a model is trained to make small."""

from ferroflow._src.losses.classification import hinge_loss as hinge_loss
from ferroflow._src.losses.classification import sigmoid_cross_entropy as sigmoid_cross_entropy
from ferroflow._src.losses.classification import softmax_cross_entropy as softmax_cross_entropy
from ferroflow._src.losses.classification import sparse_softmax_cross_entropy as sparse_softmax_cross_entropy
from ferroflow._src.losses.collections import add_loss as add_loss
from ferroflow._src.losses.collections import get_losses as get_losses
from ferroflow._src.losses.collections import get_regularization_loss as get_regularization_loss
from ferroflow._src.losses.collections import get_regularization_losses as get_regularization_losses
from ferroflow._src.losses.collections import get_total_loss as get_total_loss
from ferroflow._src.losses.regression import absolute_difference as absolute_difference
from ferroflow._src.losses.regression import cosine_distance as cosine_distance
from ferroflow._src.losses.regression import huber_loss as huber_loss
from ferroflow._src.losses.regression import log_loss as log_loss
from ferroflow._src.losses.regression import mean_pairwise_squared_error as mean_pairwise_squared_error
from ferroflow._src.losses.regression import mean_squared_error as mean_squared_error
from ferroflow._src.losses.weighting import Reduction as Reduction
from ferroflow._src.losses.weighting import compute_weighted_loss as compute_weighted_loss
