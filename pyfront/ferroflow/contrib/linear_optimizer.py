"""`tf.contrib.linear_optimizer`: linear models that are trained by stochastic dual coordinate ascent."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.linear_optimizer.sdca_model import SdcaModel as SdcaModel
from ferroflow._src.contrib.linear_optimizer.sdca_optimizer import SDCAOptimizer as SDCAOptimizer
from ferroflow._src.contrib.linear_optimizer.sparse_feature_column import SparseFeatureColumn as SparseFeatureColumn

_tell_absent(globals())
