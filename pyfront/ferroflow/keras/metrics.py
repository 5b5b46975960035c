"""`tf.keras.metrics`: metrics of the examples of a batch."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.by_name import get_metric as _get
from ferroflow._src.keras.losses import (
    KLD as KLD,
    MAE as MAE,
    MAPE as MAPE,
    MSE as MSE,
    MSLE as MSLE,
    binary_crossentropy as binary_crossentropy,
    categorical_crossentropy as categorical_crossentropy,
    cosine as cosine,
    cosine_proximity as cosine_proximity,
    hinge as hinge,
    kld as kld,
    kullback_leibler_divergence as kullback_leibler_divergence,
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
from ferroflow._src.keras.metric_base import Metric as Metric
from ferroflow._src.keras.metric_counts import (
    AUC as AUC,
    FalseNegatives as FalseNegatives,
    FalsePositives as FalsePositives,
    Precision as Precision,
    Recall as Recall,
    SensitivityAtSpecificity as SensitivityAtSpecificity,
    SpecificityAtSensitivity as SpecificityAtSensitivity,
    TrueNegatives as TrueNegatives,
    TruePositives as TruePositives,
)
from ferroflow._src.keras.metric_means import (
    Accuracy as Accuracy,
    BinaryAccuracy as BinaryAccuracy,
    BinaryCrossentropy as BinaryCrossentropy,
    CategoricalAccuracy as CategoricalAccuracy,
    CategoricalCrossentropy as CategoricalCrossentropy,
    CategoricalHinge as CategoricalHinge,
    CosineSimilarity as CosineSimilarity,
    Hinge as Hinge,
    KLDivergence as KLDivergence,
    LogCoshError as LogCoshError,
    Mean as Mean,
    MeanAbsoluteError as MeanAbsoluteError,
    MeanAbsolutePercentageError as MeanAbsolutePercentageError,
    MeanIoU as MeanIoU,
    MeanRelativeError as MeanRelativeError,
    MeanSquaredError as MeanSquaredError,
    MeanSquaredLogarithmicError as MeanSquaredLogarithmicError,
    MeanTensor as MeanTensor,
    Poisson as Poisson,
    RootMeanSquaredError as RootMeanSquaredError,
    SparseCategoricalAccuracy as SparseCategoricalAccuracy,
    SparseCategoricalCrossentropy as SparseCategoricalCrossentropy,
    SparseTopKCategoricalAccuracy as SparseTopKCategoricalAccuracy,
    SquaredHinge as SquaredHinge,
    Sum as Sum,
    TopKCategoricalAccuracy as TopKCategoricalAccuracy,
)
from ferroflow._src.keras.metrics import (
    binary_accuracy as binary_accuracy,
    categorical_accuracy as categorical_accuracy,
    sparse_categorical_accuracy as sparse_categorical_accuracy,
    sparse_top_k_categorical_accuracy as sparse_top_k_categorical_accuracy,
    top_k_categorical_accuracy as top_k_categorical_accuracy,
)
from ferroflow._src.keras.serialization import (
    deserialize_metric as _deserialize,
    serialize_metric as _serialize,
)

deserialize = _deserialize
get = _get
serialize = _serialize

_tell_absent(globals())
