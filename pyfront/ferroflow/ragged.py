"""`tf.ragged`: tensors whose rows have different lengths."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.ops.ragged.arguments import map_flat_values as map_flat_values
from ferroflow._src.ops.ragged.joining import stack as stack
from ferroflow._src.ops.ragged.making import (
    constant as constant,
    constant_value as constant_value,
    placeholder as placeholder,
    ragged_range as _ragged_range,
)
from ferroflow._src.ops.ragged.row_splits import (
    row_splits_to_segment_ids as row_splits_to_segment_ids,
    segment_ids_to_row_splits as segment_ids_to_row_splits,
)
from ferroflow._src.ops.ragged.selecting import (
    boolean_mask as boolean_mask,
    stack_dynamic_partitions as stack_dynamic_partitions,
)
from ferroflow._src.ops.ragged.value import RaggedTensorValue as RaggedTensorValue

range = _ragged_range

_tell_absent(globals())
