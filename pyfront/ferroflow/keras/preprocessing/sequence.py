"""`tf.keras.preprocessing.sequence`: sequences made arrays."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.sequence_batches import (
    TimeseriesGenerator as TimeseriesGenerator,
    make_sampling_table as make_sampling_table,
    skipgrams as skipgrams,
)
from ferroflow._src.keras.sequences import pad_sequences as pad_sequences

_tell_absent(globals())
