"""`tf.feature_column`: how raw features of examples become the inputs of a model."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.feature_column.categorical import (
    categorical_column_with_hash_bucket as categorical_column_with_hash_bucket,
    categorical_column_with_identity as categorical_column_with_identity,
    categorical_column_with_vocabulary_file as categorical_column_with_vocabulary_file,
    categorical_column_with_vocabulary_list as categorical_column_with_vocabulary_list,
    weighted_categorical_column as weighted_categorical_column,
)
from ferroflow._src.feature_column.crossed import crossed_column as crossed_column
from ferroflow._src.feature_column.embedded import (
    embedding_column as embedding_column,
    indicator_column as indicator_column,
    shared_embedding_columns as shared_embedding_columns,
)
from ferroflow._src.feature_column.models import (
    input_layer as input_layer,
    linear_model as linear_model,
    make_parse_example_spec as make_parse_example_spec,
)
from ferroflow._src.feature_column.numeric import (
    bucketized_column as bucketized_column,
    numeric_column as numeric_column,
)
from ferroflow._src.feature_column.sequence import (
    sequence_categorical_column_with_hash_bucket as sequence_categorical_column_with_hash_bucket,
    sequence_categorical_column_with_identity as sequence_categorical_column_with_identity,
    sequence_categorical_column_with_vocabulary_file as sequence_categorical_column_with_vocabulary_file,
    sequence_categorical_column_with_vocabulary_list as sequence_categorical_column_with_vocabulary_list,
    sequence_numeric_column as sequence_numeric_column,
)

_tell_absent(globals())
