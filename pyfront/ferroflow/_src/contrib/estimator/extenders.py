"""Estimators whose predictions have features, and optimizers that clip gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.typing import DictLike, FloatLike, ListLike
from ferroflow._src.estimator.estimator import Estimator, with_model_fn
from ferroflow._src.estimator.export_outputs import PredictOutput
from ferroflow._src.estimator.spec import EstimatorSpec
from ferroflow._src.framework.composite import SparseTensor, convert_to_tensor_or_sparse_tensor
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.math.clipping import clip_by_global_norm
from ferroflow._src.ops.sparse.converting import sparse_tensor_to_dense
from ferroflow._src.training.optimizer import Optimizer


class _TransformGradients(Optimizer):
    """An optimizer that changes gradients before another one applies them."""

    def __init__(self, optimizer: Any, transform: Callable[[list[Any]], list[Any]], name: str) -> None:
        super().__init__(use_locking=False, name=name)
        self._optimizer = optimizer
        self._transform = transform

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the gradients of the optimizer inside."""
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: str | None = None) -> Operation:
        """Applies changed gradients with the optimizer inside."""
        step: Operation = self._optimizer.apply_gradients(self._transform(list(grads_and_vars)), global_step, name)
        return step

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """Returns a slot of the optimizer inside."""
        return self._optimizer.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the names of the slots of the optimizer inside."""
        return self._optimizer.get_slot_names(*args, **kwargs)


def clip_gradients_by_norm(optimizer: Optimizer, clip_norm: FloatLike) -> Optimizer:
    """Returns an optimizer that scales all gradients together down to a norm before it applies them.

    Args:
        optimizer: Optimizer.
        clip_norm: float, or float Tensor of shape [], the largest norm.

    Returns:
        Optimizer.

    Example:
        >>> v = tf.get_variable("v", initializer=0.0)
        >>> descent = tf.contrib.estimator.clip_gradients_by_norm(tf.train.GradientDescentOptimizer(1.0), 0.5)
        >>> step = descent.minimize(-10.0 * v)
        >>> sess.run(tf.global_variables_initializer())
        >>> sess.run(step)
        >>> print(sess.run(v))
        0.5
    """

    def clipped(grads_and_vars: list[Any]) -> list[Any]:
        gradients, variables = zip(*grads_and_vars, strict=True)
        return list(zip(clip_by_global_norm(gradients, clip_norm)[0], variables, strict=True))

    return _TransformGradients(optimizer, clipped, f"ClipByNorm{optimizer.get_name()}")


def _checked_keys(keys: Any) -> list[str] | None:
    if keys is None or isinstance(keys, str):
        return None if keys is None else [keys]
    if not isinstance(keys, (list, tuple)):
        raise TypeError(f"keys should be either a string or a list of strings. Given: {type(keys)}")
    for key in keys:
        if not isinstance(key, str):
            raise TypeError(
                f"All items in the given keys list should be a string. There exist an item with type: {type(key)}"
            )
    return list(keys)


def _forwarded(features: Any, key: str, defaults: Any) -> Tensor:
    """Returns a feature as a dense tensor."""
    feature = convert_to_tensor_or_sparse_tensor(features[key])
    if key in defaults:
        if not isinstance(feature, SparseTensor):
            raise ValueError(f"Feature ({key}) is expected to be a `SparseTensor`.")
        feature = sparse_tensor_to_dense(feature, default_value=defaults[key])
    if not isinstance(feature, Tensor):
        raise ValueError(
            f"Feature ({key}) should be a Tensor. Please use `keys` argument of forward_features to filter unwanted "
            f"features, or add key to argument `sparse_default_values`. Type of features[{key}] is {type(feature)}."
        )
    return feature


def forward_features(
    estimator: Estimator, keys: str | ListLike | None = None, sparse_default_values: DictLike | None = None
) -> Estimator:
    """Returns an estimator whose predictions also have features, such as the examples' keys.

    Args:
        estimator: Estimator.
        keys: str or list of str, the features; None for all.
        sparse_default_values: dict of values by feature that fill a SparseTensor, which is made dense; or None.

    Returns:
        Estimator with the same folder.

    Raises:
        TypeError: if a key is not a str.
        ValueError: when the model is built, if a feature is missing, sparse, or also the name of a prediction.
    """
    checked, defaults = _checked_keys(keys), dict(sparse_default_values or {})

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        spec = estimator.model_fn(features, labels, mode, config)
        predictions = spec.predictions
        if not isinstance(predictions, dict):
            raise ValueError(f"Predictions should be a dict to be able to forward features. Given: {type(predictions)}")
        chosen = list(features) if checked is None else checked
        for key in chosen:
            if key not in features:
                raise ValueError(
                    f'keys should be exist in features. Key "{key}" is not in features dict. features dict has '
                    f"following keys: {list(features)}. Please check arguments of forward_features."
                )
            if key in predictions:
                raise ValueError(
                    f"Cannot forward feature key ({key}). Since it does exist in predictions. Existing prediction "
                    f"keys: {list(predictions)}. Please check arguments of forward_features."
                )
        more = {key: _forwarded(features, key, defaults) for key in chosen}
        changes: dict[str, Any] = {"predictions": {**predictions, **more}}
        if spec.export_outputs:
            changes["export_outputs"] = {
                name: PredictOutput({**output.outputs, **more})
                if name in ("predict", "serving_default") and isinstance(output, PredictOutput)
                else output
                for name, output in spec.export_outputs.items()
            }
        return spec._replace(**changes)

    return with_model_fn(estimator, model_fn, False)
