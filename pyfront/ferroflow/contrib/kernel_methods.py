"""`tf.contrib.kernel_methods`: maps of features that approximate kernels."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.kernel_methods.kernel_classifier import KernelLinearClassifier as KernelLinearClassifier
from ferroflow._src.contrib.kernel_methods.losses import sparse_multiclass_hinge_loss as sparse_multiclass_hinge_loss
from ferroflow._src.contrib.kernel_methods.mappers import RandomFourierFeatureMapper as RandomFourierFeatureMapper

_tell_absent(globals())
