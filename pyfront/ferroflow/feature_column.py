"""`tf.feature_column`: how raw features of examples become the inputs of a model."""

from ferroflow._src.feature_column.categorical import (
    categorical_column_with_hash_bucket as categorical_column_with_hash_bucket,
)
from ferroflow._src.feature_column.categorical import (
    categorical_column_with_identity as categorical_column_with_identity,
)
from ferroflow._src.feature_column.categorical import (
    categorical_column_with_vocabulary_file as categorical_column_with_vocabulary_file,
)
from ferroflow._src.feature_column.categorical import (
    categorical_column_with_vocabulary_list as categorical_column_with_vocabulary_list,
)
from ferroflow._src.feature_column.categorical import weighted_categorical_column as weighted_categorical_column
from ferroflow._src.feature_column.crossed import crossed_column as crossed_column
from ferroflow._src.feature_column.embedded import embedding_column as embedding_column
from ferroflow._src.feature_column.embedded import indicator_column as indicator_column
from ferroflow._src.feature_column.embedded import shared_embedding_columns as shared_embedding_columns
from ferroflow._src.feature_column.models import input_layer as input_layer
from ferroflow._src.feature_column.models import linear_model as linear_model
from ferroflow._src.feature_column.models import make_parse_example_spec as make_parse_example_spec
from ferroflow._src.feature_column.numeric import bucketized_column as bucketized_column
from ferroflow._src.feature_column.numeric import numeric_column as numeric_column
