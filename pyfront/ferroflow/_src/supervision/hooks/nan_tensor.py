"""`NanTensorHook`: ends a training whose loss is not a number any more."""

from __future__ import annotations

import numpy as np

from ferroflow._src.base import tf_logging
from ferroflow._src.base.public_modules import show_publicly
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.supervision.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)

_FAILURE = "Model diverged with loss = NaN."


class NanLossDuringTrainingError(RuntimeError):
    """Error: the loss is NaN."""

    def __str__(self) -> str:
        return "NaN loss during training."


show_publicly("ferroflow.estimator", NanLossDuringTrainingError)


class NanTensorHook(SessionRunHook):
    """Hook that raises an error or requests a stop when a loss is NaN.

    Args:
        loss_tensor: float scalar Tensor.
        fail_on_nan_loss: bool. If True, fail.
    """

    def __init__(self, loss_tensor: TensorLike, fail_on_nan_loss: bool = True) -> None:
        self._loss_tensor = loss_tensor
        self._fail_on_nan_loss = fail_on_nan_loss

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Fetches the loss.

        Args:
            run_context: SessionRunContext.

        Returns:
            SessionRunArgs that fetch the loss.
        """
        return SessionRunArgs(self._loss_tensor)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Checks the loss.

        Args:
            run_context: SessionRunContext, the one given to `before_run`.
            run_values: SessionRunValues.

        Raises:
            NanLossDuringTrainingError: if the loss is NaN.
        """
        if np.isnan(run_values.results):
            if self._fail_on_nan_loss:
                tf_logging.error(_FAILURE)
                raise NanLossDuringTrainingError
            tf_logging.warning(_FAILURE)
            # TF 1.x: the step that is under way ends as if all were well.
            run_context.request_stop()
