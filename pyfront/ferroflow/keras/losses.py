"""`tf.keras.losses`: losses of the examples of a batch."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.by_name import get_loss as _get
from ferroflow._src.keras.loss_classes import (
    BinaryCrossentropy as BinaryCrossentropy,
    CategoricalCrossentropy as CategoricalCrossentropy,
    CategoricalHinge as CategoricalHinge,
    CosineSimilarity as CosineSimilarity,
    Hinge as Hinge,
    Huber as Huber,
    KLDivergence as KLDivergence,
    LogCosh as LogCosh,
    Loss as Loss,
    MeanAbsoluteError as MeanAbsoluteError,
    MeanAbsolutePercentageError as MeanAbsolutePercentageError,
    MeanSquaredError as MeanSquaredError,
    MeanSquaredLogarithmicError as MeanSquaredLogarithmicError,
    Poisson as Poisson,
    SparseCategoricalCrossentropy as SparseCategoricalCrossentropy,
    SquaredHinge as SquaredHinge,
)
from ferroflow._src.keras.losses import (
    KLD as KLD,
    MAE as MAE,
    MAPE as MAPE,
    MSE as MSE,
    MSLE as MSLE,
    binary_crossentropy as binary_crossentropy,
    categorical_crossentropy as categorical_crossentropy,
    categorical_hinge as categorical_hinge,
    cosine as cosine,
    cosine_proximity as cosine_proximity,
    cosine_similarity as cosine_similarity,
    hinge as hinge,
    kld as kld,
    kullback_leibler_divergence as kullback_leibler_divergence,
    logcosh as logcosh,
    mae as mae,
    mape as mape,
    mean_absolute_error as mean_absolute_error,
    mean_absolute_percentage_error as mean_absolute_percentage_error,
    mean_squared_error as mean_squared_error,
    mean_squared_logarithmic_error as mean_squared_logarithmic_error,
    mse as mse,
    msle as msle,
    poisson as poisson,
    sparse_categorical_crossentropy as sparse_categorical_crossentropy,
    squared_hinge as squared_hinge,
)
from ferroflow._src.keras.serialization import (
    deserialize_loss as _deserialize,
    serialize_loss as _serialize,
)

deserialize = _deserialize
get = _get
serialize = _serialize

_tell_absent(globals())
