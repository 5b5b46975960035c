"""`tf.contrib`: the parts of it that programs lean on; each is loaded on first use."""

import typing as _typing
from typing import Any as _Any

from ferroflow._src.base.virtual_modules import serve as _serve
from ferroflow.python._paths import TensorFlowModules as _TensorFlowModules

_family = _serve("contrib", _TensorFlowModules())


if _typing.TYPE_CHECKING:
    from ferroflow.contrib import (
        batching as batching,
        cluster_resolver as cluster_resolver,
        constrained_optimization as constrained_optimization,
        crf as crf,
        data as data,
        deprecated as deprecated,
        distribute as distribute,
        distributions as distributions,
        eager as eager,
        estimator as estimator,
        feature_column as feature_column,
        framework as framework,
        image as image,
        kernel_methods as kernel_methods,
        labeled_tensor as labeled_tensor,
        layers as layers,
        learn as learn,
        legacy_seq2seq as legacy_seq2seq,
        linalg as linalg,
        linear_optimizer as linear_optimizer,
        lookup as lookup,
        losses as losses,
        metrics as metrics,
        mixed_precision as mixed_precision,
        model_pruning as model_pruning,
        opt as opt,
        predictor as predictor,
        proto as proto,
        rnn as rnn,
        saved_model as saved_model,
        seq2seq as seq2seq,
        signal as signal,
        slim as slim,
        staging as staging,
        summary as summary,
        tensorboard as tensorboard,
        testing as testing,
        tpu as tpu,
        training as training,
        util as util,
    )
else:

    def __getattr__(name: str) -> _Any:
        return _family.attribute("contrib", name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_family.names("contrib")})
