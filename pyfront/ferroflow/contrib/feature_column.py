"""`tf.contrib.feature_column`: sequence columns, and the input of a recurrent network."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.feature_column.sequence_input import sequence_input_layer as sequence_input_layer
from ferroflow._src.feature_column.sequence import (
    sequence_categorical_column_with_hash_bucket as sequence_categorical_column_with_hash_bucket,
    sequence_categorical_column_with_identity as sequence_categorical_column_with_identity,
    sequence_categorical_column_with_vocabulary_file as sequence_categorical_column_with_vocabulary_file,
    sequence_categorical_column_with_vocabulary_list as sequence_categorical_column_with_vocabulary_list,
    sequence_numeric_column as sequence_numeric_column,
)

_tell_absent(globals())
