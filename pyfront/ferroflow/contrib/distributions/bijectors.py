"""`tf.contrib.distributions.bijectors`: invertible functions of tensors and their Jacobian determinants."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.bijectors.affine import Affine as Affine
from ferroflow._src.contrib.bijectors.affine_linear_operator import AffineLinearOperator as AffineLinearOperator
from ferroflow._src.contrib.bijectors.affine_scalar import AffineScalar as AffineScalar
from ferroflow._src.contrib.bijectors.base import Bijector as Bijector
from ferroflow._src.contrib.bijectors.batch_normalization import BatchNormalization as BatchNormalization
from ferroflow._src.contrib.bijectors.chain import Chain as Chain
from ferroflow._src.contrib.bijectors.conditional import ConditionalBijector as ConditionalBijector
from ferroflow._src.contrib.bijectors.distribution_functions import (
    Gumbel as Gumbel,
    Kumaraswamy as Kumaraswamy,
)
from ferroflow._src.contrib.bijectors.identity import Identity as Identity
from ferroflow._src.contrib.bijectors.inline import Inline as Inline
from ferroflow._src.contrib.bijectors.invert import Invert as Invert
from ferroflow._src.contrib.bijectors.masked_autoregressive import (
    MaskedAutoregressiveFlow as MaskedAutoregressiveFlow,
    masked_autoregressive_default_template as masked_autoregressive_default_template,
    masked_dense as masked_dense,
)
from ferroflow._src.contrib.bijectors.matrices import (
    CholeskyOuterProduct as CholeskyOuterProduct,
    FillTriangular as FillTriangular,
    MatrixInverseTriL as MatrixInverseTriL,
    ScaleTriL as ScaleTriL,
    TransformDiagonal as TransformDiagonal,
)
from ferroflow._src.contrib.bijectors.permute import Permute as Permute
from ferroflow._src.contrib.bijectors.power import (
    AbsoluteValue as AbsoluteValue,
    Exp as Exp,
    PowerTransform as PowerTransform,
    Square as Square,
)
from ferroflow._src.contrib.bijectors.real_nvp import (
    RealNVP as RealNVP,
    real_nvp_default_template as real_nvp_default_template,
)
from ferroflow._src.contrib.bijectors.reshape import Reshape as Reshape
from ferroflow._src.contrib.bijectors.sinh_arcsinh import SinhArcsinh as SinhArcsinh
from ferroflow._src.contrib.bijectors.squashing import (
    Sigmoid as Sigmoid,
    Softplus as Softplus,
    Softsign as Softsign,
)
from ferroflow._src.contrib.bijectors.vectors import (
    Ordered as Ordered,
    SoftmaxCentered as SoftmaxCentered,
)

_tell_absent(globals())
