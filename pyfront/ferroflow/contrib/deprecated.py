"""`tf.contrib.deprecated`: summaries by the names they had before TensorFlow 1.0."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.summary.renamed import (
    audio_summary as audio_summary,
    histogram_summary as histogram_summary,
    image_summary as image_summary,
    merge_all_summaries as merge_all_summaries,
    merge_summary as merge_summary,
    scalar_summary as scalar_summary,
)

_tell_absent(globals())
