"""Names that TensorFlow 1.0 removed, with what replaces them: the facade's missing-name error tells it."""

from __future__ import annotations

from typing import Final

REMOVED_NAMES: Final[dict[str, str]] = {
    "batch_cholesky": "tf.cholesky",
    "batch_matrix_inverse": "tf.matrix_inverse",
    "batch_matrix_solve": "tf.matrix_solve",
    "batch_matrix_solve_ls": "tf.matrix_solve_ls",
    "batch_matrix_triangular_solve": "tf.matrix_triangular_solve",
    "batch_matrix_determinant": "tf.matrix_determinant",
    "batch_cholesky_solve": "tf.cholesky_solve",
    "batch_self_adjoint_eig": "tf.self_adjoint_eig",
    "batch_self_adjoint_eigvals": "tf.self_adjoint_eigvals",
    "batch_svd": "tf.svd",
    "batch_matrix_diag_part": "tf.matrix_diag_part",
    "batch_matrix_set_diag": "tf.matrix_set_diag",
    "batch_fft": "tf.fft",
    "batch_fft2d": "tf.fft2d",
    "batch_fft3d": "tf.fft3d",
    "batch_ifft": "tf.ifft",
    "batch_ifft2d": "tf.ifft2d",
    "batch_ifft3d": "tf.ifft3d",
    "sparse_split_v": "tf.sparse_split",
}
