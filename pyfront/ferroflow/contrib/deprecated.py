"""`tf.contrib.deprecated`: summaries by the names they had before TensorFlow 1.0."""

from ferroflow._src.summary.renamed import audio_summary as audio_summary
from ferroflow._src.summary.renamed import histogram_summary as histogram_summary
from ferroflow._src.summary.renamed import image_summary as image_summary
from ferroflow._src.summary.renamed import merge_all_summaries as merge_all_summaries
from ferroflow._src.summary.renamed import merge_summary as merge_summary
from ferroflow._src.summary.renamed import scalar_summary as scalar_summary
