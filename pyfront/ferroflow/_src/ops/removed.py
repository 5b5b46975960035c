"""Names that TensorFlow 1.0 removed, with what replaces them: the facade's missing-name error tells it."""

from __future__ import annotations

from typing import Final

REMOVED_NAMES: Final[dict[str, str]] = {
    "mul": "tf.multiply",
    "sub": "tf.subtract",
    "neg": "tf.negative",
    "pack": "tf.stack",
    "unpack": "tf.unstack",
    "select": "tf.where",
    "inv": "tf.reciprocal",
    "complex_abs": "tf.abs",
    "batch_matmul": "tf.matmul",
    "batch_matrix_transpose": "tf.matrix_transpose",
    "batch_matrix_diag": "tf.matrix_diag",
    "batch_matrix_band_part": "tf.matrix_band_part",
    "batch_cholesky": "tf.cholesky",
    "sparse_split_v": "tf.sparse_split",
    "split_v": "tf.split",
    "concat_v2": "tf.concat",
    "scalar_summary": "tf.summary.scalar",
    "histogram_summary": "tf.summary.histogram",
    "image_summary": "tf.summary.image",
    "audio_summary": "tf.summary.audio",
    "merge_summary": "tf.summary.merge",
    "merge_all_summaries": "tf.summary.merge_all",
}
