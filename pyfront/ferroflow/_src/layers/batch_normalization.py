"""The batch normalization layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.docstrings import add_example
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import BoolLike, FloatLike, Initializer, IntsLike, ShapeTensorLike, TensorLike
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.layers.input_spec import InputSpec
from ferroflow._src.layers.layer import Layer
from ferroflow._src.layers.layer_functions import layer_arguments
from ferroflow._src.layers.moving_average import assign_moving_average
from ferroflow._src.layers.named_functions import initializer_of
from ferroflow._src.layers.training_mode import choose, training_mode
from ferroflow._src.ops.array import making, shaping
from ferroflow._src.ops.math.arithmetic import maximum, minimum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import sqrt
from ferroflow._src.ops.math.reduction import reduce_mean
from ferroflow._src.ops.nn import normalization
from ferroflow._src.ops.nn.activation import relu
from ferroflow._src.ops.state.assigning import assign
from ferroflow._src.variables.initializers import Ones, Zeros

_ZEROS, _ONES = Zeros(), Ones()
_HALVES = (dtypes.float16, dtypes.bfloat16)


def _transformed(scale: Any, offset: Any, then_scale: Any, then_offset: Any) -> tuple[Any, Any]:
    """Returns scale and offset of `then_scale * (scale * x + offset) + then_offset`."""
    if then_scale is not None:
        scale, offset = scale * then_scale, offset * then_scale
    return scale, offset if then_offset is None else offset + then_offset


class BatchNormalization(Layer):
    """A layer that normalizes by the mean and variance of the batch in training, and by their averages otherwise.

    The operations in `GraphKeys.UPDATE_OPS` update the averages; a training step must depend on them.

    Args:
        axis: int, or list of int: the dimensions that are not averaged over, usually the channels.
        momentum: float, how much of the averages stays in an update.
        epsilon: float, added to the variance.
        center: bool. If True, an offset beta is added.
        scale: bool. If True, the result is multiplied by gamma.
        beta_initializer: initializer of beta.
        gamma_initializer: initializer of gamma.
        moving_mean_initializer: initializer of the average of means.
        moving_variance_initializer: initializer of the average of variances.
        beta_regularizer: callable of beta that gives a loss.
        gamma_regularizer: callable of gamma that gives a loss.
        beta_constraint: callable that optimizers apply to beta after updates.
        gamma_constraint: callable that optimizers apply to gamma after updates.
        renorm: bool. If True, training is corrected towards the averages.
        renorm_clipping: dict from "rmax", "rmin" and "dmax" to Tensors that bound that correction.
        renorm_momentum: float, how much of the correction's averages stays in an update.
        fused: bool. If True, images are normalized by one operation, whose variance for the average is divided by n -
            1; None for True.
        trainable: bool. If True, beta and gamma are trained.
        virtual_batch_size: int, the size of the parts of the batch that are normalized each on its own; None for all.
        adjustment: callable of the inputs' shape, a Tensor, to a scale and an offset that are applied in training
            before gamma and beta.
        name: str, name of the layer.
        **kwargs: further arguments of `Layer`.

    Raises:
        ValueError: if `renorm_clipping` has a key that is not listed.

    Source: Ioffe, Szegedy, Batch Normalization, 2015; Ioffe, Batch Renormalization, 2017; Hoffer, Hubara, Soudry, Train
    longer, generalize better, 2017 (parts of a batch).
    """

    def __init__(
        self,
        axis: IntsLike = -1,
        momentum: FloatLike = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Initializer = _ZEROS,
        gamma_initializer: Initializer = _ONES,
        moving_mean_initializer: Initializer = _ZEROS,
        moving_variance_initializer: Initializer = _ONES,
        beta_regularizer: Callable[..., Any] | None = None,
        gamma_regularizer: Callable[..., Any] | None = None,
        beta_constraint: Callable[..., Any] | None = None,
        gamma_constraint: Callable[..., Any] | None = None,
        renorm: bool = False,
        renorm_clipping: dict[str, Any] | None = None,
        renorm_momentum: FloatLike = 0.99,
        fused: bool | None = None,
        trainable: bool = True,
        virtual_batch_size: int | None = None,
        adjustment: Callable[..., Any] | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, trainable=trainable, **kwargs)
        self.axis: Any = list(axis) if isinstance(axis, (list, tuple)) else axis
        self.momentum = momentum
        self.epsilon = epsilon
        self.center = center
        self.scale = scale
        self.beta_initializer = initializer_of(beta_initializer)
        self.gamma_initializer = initializer_of(gamma_initializer)
        self.moving_mean_initializer = initializer_of(moving_mean_initializer)
        self.moving_variance_initializer = initializer_of(moving_variance_initializer)
        self.beta_regularizer = beta_regularizer
        self.gamma_regularizer = gamma_regularizer
        self.beta_constraint = beta_constraint
        self.gamma_constraint = gamma_constraint
        self.renorm = renorm
        self.renorm_clipping = renorm_clipping or {}
        self.renorm_momentum = renorm_momentum
        self.virtual_batch_size = virtual_batch_size
        self.adjustment = adjustment
        self.supports_masking = True
        # TF 1.x: other values that count as true demand the operation.
        self._needs_fused = fused not in (None, True) and bool(fused)
        self.fused = fused is None or bool(fused)
        self._bessels_correction_test_only = True
        keys = ["rmax", "rmin", "dmax"]
        if renorm and set(self.renorm_clipping) - set(keys):
            raise ValueError(f"renorm_clipping {renorm_clipping} contains keys not in {keys}")
        self._beta_first = False
        self._updates_in_branches = False
        self.gamma: Any = None
        self.beta: Any = None
        self.moving_mean: Any = None
        self.moving_variance: Any = None

    def _resolve_axis(self, shape: TensorShape) -> None:
        if not shape.ndims:
            raise ValueError("Input has undefined rank:", shape)
        if isinstance(self.axis, int):
            self.axis = [self.axis]
        if not isinstance(self.axis, list):
            raise TypeError(f"axis must be int or list, type given: {type(self.axis)}")
        self.axis = [shape.ndims + x if x < 0 else x for x in self.axis]
        for x in self.axis:
            if x < 0 or x >= shape.ndims:
                raise ValueError(f"Invalid axis: {x}")
        if len(self.axis) != len(set(self.axis)):
            raise ValueError(f"Duplicate axis: {self.axis}")

    def _check_virtual_batches(self) -> None:
        if self.virtual_batch_size is None:
            return
        if self.virtual_batch_size <= 0:
            raise ValueError(
                "virtual_batch_size must be a positive integer that divides the true batch size of the input Tensor"
            )
        if 0 in self.axis:
            raise ValueError(
                "When using virtual_batch_size, the batch dimension must be 0 and thus axis cannot include 0"
            )
        if self.adjustment is not None:
            raise ValueError("When using virtual_batch_size, adjustment cannot be specified")

    def build(self, input_shape: Any) -> None:
        """Makes gamma, beta and the averages.

        Args:
            input_shape: TensorShape of the inputs.

        Raises:
            ValueError: if the rank or the size of a dimension of `axis` is unknown, or `axis` does not fit, or
                `virtual_batch_size` or `fused` does not.
            TypeError: if `axis` is neither int nor list.
        """
        shape = TensorShape(input_shape)
        self._resolve_axis(shape)
        self._check_virtual_batches()
        is_plain = not self.renorm and self.virtual_batch_size is None and self.adjustment is None
        # TF 1.x: the one operation is for images of float32 or less.
        is_image = shape.ndims == 4 and self.axis in ([1], [3]) and self.dtype != "float64"
        if self._needs_fused and not is_image:
            raise ValueError("Unsupported axis, fused batch norm only supports axis == [1] or axis == [3] of images.")
        self.fused = self.fused and is_plain and is_image
        dtype = dtypes.as_dtype(self.dtype or dtypes.float32)
        dtype = dtypes.float32 if dtype in _HALVES else dtype
        sizes = {x: shape[x].value for x in self.axis}
        if None in sizes.values():
            raise ValueError("Input has undefined `axis` dimension. Input shape: ", shape)
        self.input_spec = InputSpec(ndim=shape.ndims, axes=sizes)
        if len(sizes) == 1 and self.virtual_batch_size is None:
            parameter_shape = [sizes[self.axis[0]]]
        else:
            parameter_shape = [sizes.get(i, 1) for i in range(len(shape))]
            if self.virtual_batch_size is not None:
                parameter_shape.insert(1, 1)
                self.axis = [x + 1 for x in self.axis]
        for name in ("beta", "gamma") if self._beta_first else ("gamma", "beta"):
            if getattr(self, "center" if name == "beta" else "scale"):
                made = self.add_weight(
                    name,
                    parameter_shape,
                    dtype,
                    getattr(self, f"{name}_initializer"),
                    getattr(self, f"{name}_regularizer"),
                    constraint=getattr(self, f"{name}_constraint"),
                )
                setattr(self, name, made)
        self._add_averages(parameter_shape, dtype)
        self.built = True

    def _add_averages(self, shape: list[int], dtype: dtypes.DType) -> None:
        # The averages are never cut into parts.
        partitioner = self._scope.partitioner if self._scope is not None else None
        if self._scope is not None:
            self._scope.set_partitioner(None)

        def average(name: str, shape: Any, initializer: Any) -> Any:
            return self.add_weight(name, shape, dtype, initializer, trainable=False)

        try:
            self.moving_mean = average("moving_mean", shape, self.moving_mean_initializer)
            self.moving_variance = average("moving_variance", shape, self.moving_variance_initializer)
            if self.renorm:
                self.moving_stddev = average("moving_stddev", shape, self._stddev_initializer)
                self.renorm_mean = average("renorm_mean", shape, self.moving_mean_initializer)
                self.renorm_stddev = average("renorm_stddev", shape, self._stddev_initializer)
        finally:
            if partitioner and self._scope is not None:
                self._scope.set_partitioner(partitioner)

    def _stddev_initializer(self, *args: Any, **kwargs: Any) -> Any:
        initializer: Any = self.moving_variance_initializer
        return sqrt(initializer(*args, **kwargs))

    def _update_averages(self, mean: Any, variance: Any, training: bool | Tensor) -> None:
        def move_mean() -> Any:
            return assign_moving_average(self.moving_mean, mean, self.momentum)

        def move_variance() -> Any:
            if not self.renorm:
                return assign_moving_average(self.moving_variance, variance, self.momentum)
            stddev = assign_moving_average(self.moving_stddev, sqrt(variance + self.epsilon), self.momentum)
            # Rounding may lead below zero.
            moved = relu(stddev * stddev - self.epsilon)
            with name_scope(None, "AssignNewValue") as scope:
                return assign(self.moving_variance, moved, name=scope)

        self.add_update(choose(training, move_mean, lambda: self.moving_mean), inputs=True)
        self.add_update(choose(training, move_variance, lambda: self.moving_variance), inputs=True)

    def _fused_call(self, inputs: Any, training: bool | Tensor) -> Any:
        channels = self.moving_mean.get_shape()
        gamma = constant(1.0, dtypes.float32, shape=channels) if self.gamma is None else self.gamma
        beta = constant(0.0, dtypes.float32, shape=channels) if self.beta is None else self.beta
        data_format = "NCHW" if self.axis == [1] else "NHWC"

        def by_batch() -> Any:
            return normalization.fused_batch_norm(inputs, gamma, beta, epsilon=self.epsilon, data_format=data_format)

        def by_averages() -> Any:
            return normalization.fused_batch_norm(
                inputs,
                gamma,
                beta,
                mean=self.moving_mean,
                variance=self.moving_variance,
                epsilon=self.epsilon,
                is_training=False,
                data_format=data_format,
            )

        outputs, mean, variance = choose(training, by_batch, by_averages)
        if training is False:
            if not self._updates_in_branches:
                convert_to_tensor(self.momentum)
            return outputs
        if not self._bessels_correction_test_only:
            variance = variance / self._bessels_factor(inputs, variance)
        if self._updates_in_branches:
            averages = (self.moving_mean, self.moving_variance)
            values = (mean, variance)

            def move() -> Any:
                pairs = zip(averages, values, strict=True)
                return tuple(assign_moving_average(average, value, self.momentum) for average, value in pairs)

            for update in choose(training, move, lambda: averages):
                self.add_update(update, inputs=True)
            return outputs
        # Without training the operation returns the averages themselves, which stay as they are.
        momentum = choose(training, lambda: convert_to_tensor(self.momentum), lambda: convert_to_tensor(1.0))
        for average, value in ((self.moving_mean, mean), (self.moving_variance, variance)):
            self.add_update(assign_moving_average(average, value, momentum), inputs=True)
        return outputs

    @staticmethod
    def _bessels_factor(inputs: Any, variance: Any) -> Any:
        """Returns n / (n - 1), for n elements of each channel."""
        count = cast(shaping.size(inputs), variance.dtype) / cast(shaping.size(variance), variance.dtype)
        return count / maximum(count - 1.0, 1.0)

    def _renormalized(self, mean: Any, variance: Any, training: bool | Tensor) -> tuple[Any, Any, Any, Any]:
        """Returns the correction of scale and offset towards the averages, and the moments to average."""
        stddev = sqrt(variance + self.epsilon)
        towards = maximum(self.renorm_stddev, sqrt(stddev.dtype.as_numpy_dtype(self.epsilon)))
        r = stddev / towards
        d = (mean - self.renorm_mean) / towards
        # The averages move only after they are used.
        with control_dependencies([r, d]):
            mean, stddev = making.identity(mean), making.identity(stddev)
        rmin, rmax, dmax = (self.renorm_clipping.get(key) for key in ("rmin", "rmax", "dmax"))
        if rmin is not None:
            r = maximum(r, rmin)
        if rmax is not None:
            r = minimum(r, rmax)
        if dmax is not None:
            d = minimum(maximum(d, -dmax), dmax)
        unscaled, unshifted = r, d
        r = choose(training, lambda: unscaled, lambda: making.ones_like(unscaled))
        d = choose(training, lambda: unshifted, lambda: making.zeros_like(unshifted))

        def moved(variable: Any, value: Any) -> Any:
            value = making.identity(value)
            return choose(
                training,
                lambda: assign_moving_average(variable, value, self.renorm_momentum),
                lambda: making.identity(variable),
            )

        with control_dependencies([moved(self.renorm_mean, mean), moved(self.renorm_stddev, stddev)]):
            return r, d, making.identity(mean), making.identity(variance)

    def call(self, inputs: TensorLike, training: BoolLike = False) -> Any:
        """Computes the outputs.

        Args:
            inputs: Tensor of a float dtype.
            training: bool, or Tensor of bool of shape [].

        Returns:
            Tensor of the dtype and shape of `inputs`.
        """
        inputs = convert_to_tensor(inputs)
        mode = training_mode(training)
        if self.fused:
            return self._fused_call(inputs, mode)
        if self.virtual_batch_size is not None:
            original = [-1, *inputs.get_shape().as_list()[1:]]
            inputs = shaping.reshape(inputs, [self.virtual_batch_size, -1, *original[1:]])
            return shaping.reshape(self._normalized(inputs, mode), original)
        if inputs.dtype in _HALVES:
            return cast(self._normalized(cast(inputs, dtypes.float32), mode), inputs.dtype)
        return self._normalized(inputs, mode)

    def _normalized(self, inputs: Any, training: bool | Tensor) -> Any:
        static = inputs.get_shape()
        ndims = len(static)
        averaged = [i for i in range(ndims) if i not in self.axis]
        if self.virtual_batch_size is not None:
            del averaged[1]
        broadcast_shape = [1] * ndims
        broadcast_shape[self.axis[0]] = static[self.axis[0]].value

        def broadcast(v: Any) -> Any:
            if v is not None and len(v.get_shape()) != ndims and averaged != list(range(ndims - 1)):
                return shaping.reshape(v, broadcast_shape)
            return v

        scale, offset = broadcast(self.gamma), broadcast(self.beta)
        mean, variance = self.moving_mean, self.moving_variance
        if training is not False:
            if self.adjustment is not None:
                by, plus = self.adjustment(shaping.shape(inputs))
                by_now, plus_now = by, plus
                by = choose(training, lambda: by_now, lambda: making.ones_like(by_now))
                plus = choose(training, lambda: plus_now, lambda: making.zeros_like(plus_now))
                scale, offset = _transformed(by, plus, scale, offset)
            keepdims = self.virtual_batch_size is not None or len(self.axis) > 1
            batch_mean, batch_variance = normalization.moments(inputs, averaged, keep_dims=keepdims)
            mean = self._batch_or_average(training, batch_mean, self.moving_mean)
            variance = self._batch_or_average(training, batch_variance, self.moving_variance)
            new_mean, new_variance = mean, variance
            if self.virtual_batch_size is not None:
                new_mean = reduce_mean(mean, axis=1, keepdims=True)
                new_variance = reduce_mean(variance, axis=1, keepdims=True)
            if self.renorm:
                r, d, new_mean, new_variance = self._renormalized(new_mean, new_variance, training)
                r = broadcast(making.stop_gradient(r, name="renorm_r"))
                d = broadcast(making.stop_gradient(d, name="renorm_d"))
                scale, offset = _transformed(r, d, scale, offset)
            self._update_averages(new_mean, new_variance, training)
        outputs = normalization.batch_normalization(
            inputs, broadcast(mean), broadcast(variance), offset, scale, self.epsilon
        )
        outputs.set_shape(static)
        return outputs

    def _batch_or_average(self, training: bool | Tensor, batch: Any, average: Any) -> Any:
        if self.virtual_batch_size is not None:
            return choose(training, lambda: batch, lambda: average + making.zeros_like(batch))
        return choose(training, lambda: batch, lambda: convert_to_tensor(average))

    def compute_output_shape(self, input_shape: ShapeTensorLike) -> Any:
        """Returns the shape of the inputs.

        Args:
            input_shape: TensorShape of the inputs.

        Returns:
            `input_shape`.
        """
        return input_shape


def batch_normalization(
    inputs: TensorLike,
    axis: IntsLike = -1,
    momentum: FloatLike = 0.99,
    epsilon: float = 1e-3,
    center: bool = True,
    scale: bool = True,
    beta_initializer: Initializer = _ZEROS,
    gamma_initializer: Initializer = _ONES,
    moving_mean_initializer: Initializer = _ZEROS,
    moving_variance_initializer: Initializer = _ONES,
    beta_regularizer: Callable[..., Any] | None = None,
    gamma_regularizer: Callable[..., Any] | None = None,
    beta_constraint: Callable[..., Any] | None = None,
    gamma_constraint: Callable[..., Any] | None = None,
    training: BoolLike = False,
    trainable: bool = True,
    name: str | None = None,
    reuse: object = None,
    renorm: bool = False,
    renorm_clipping: dict[str, Any] | None = None,
    renorm_momentum: FloatLike = 0.99,
    fused: bool | None = None,
    virtual_batch_size: int | None = None,
    adjustment: Callable[..., Any] | None = None,
) -> Any:
    """Normalizes by the mean and variance of the batch in training, and by their averages otherwise.

    The operations in `GraphKeys.UPDATE_OPS` update the averages; a training step must depend on them.

    Args:
        inputs: Tensor of a float dtype.
        axis: as in `tf.layers.BatchNormalization`, like all arguments that are not described here.
        momentum: float, how much of the averages stays in an update.
        epsilon: float, added to the variance.
        center: bool. If True, an offset beta is added.
        scale: bool. If True, the result is multiplied by gamma.
        beta_initializer: initializer of beta.
        gamma_initializer: initializer of gamma.
        moving_mean_initializer: initializer of the average of means.
        moving_variance_initializer: initializer of the average of variances.
        beta_regularizer: callable of beta that gives a loss.
        gamma_regularizer: callable of gamma that gives a loss.
        beta_constraint: callable that optimizers apply to beta after updates.
        gamma_constraint: callable that optimizers apply to gamma after updates.
        training: bool, or Tensor of bool of shape [].
        trainable: bool. If True, beta and gamma are trained.
        name: str, the variable scope; None for "batch_normalization", made unique.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.
        renorm: bool.
        renorm_clipping: dict.
        renorm_momentum: float.
        fused: bool or None.
        virtual_batch_size: int or None.
        adjustment: callable or None.

    Returns:
        Tensor of the dtype and shape of `inputs`.

    Raises:
        ValueError: on the same conditions as `tf.layers.BatchNormalization`, or if variables exist and `reuse` is not
            set, or `reuse` is set and they do not exist.
    """
    inputs = convert_to_tensor(inputs)
    return BatchNormalization(**layer_arguments(locals()))(inputs, training=training)


add_example(
    batch_normalization,
    """
    >>> x = tf.constant([[1.0], [3.0]])
    >>> y = tf.layers.batch_normalization(x, training=True)
    >>> sess.run(tf.global_variables_initializer())
    >>> print(sess.run(y).round(2).tolist())
    [[-1.0], [1.0]]
    >>> print(len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)))
    2
    """,
)
