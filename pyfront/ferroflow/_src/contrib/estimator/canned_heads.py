"""`canned.head`: the heads of canned estimators, whose losses are sums over the batch."""

from __future__ import annotations

from functools import partial
from typing import Final

from ferroflow._src.contrib.estimator.heads import binary_classification_head, multi_class_head, regression_head
from ferroflow._src.losses.weighting import Reduction

_SUM: Final = Reduction.SUM
binary_head = partial(binary_classification_head, loss_reduction=_SUM)
many_class_head = partial(multi_class_head, loss_reduction=_SUM)
number_head = partial(regression_head, loss_reduction=_SUM)
