"""Initializers: objects that make the initial value of a variable of a given shape and dtype."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.deprecation import deprecated
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import DTypeLike, FloatLike, ShapeLike, TensorLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.making import ones, zeros
from ferroflow._src.ops.array.shaping import reshape
from ferroflow._src.ops.math.linalg import eye, matrix_transpose
from ferroflow._src.ops.random.sampling import random_normal, random_uniform, truncated_normal
from ferroflow._src.variables.partition_info import PartitionInfo

# The standard deviation of a standard normal that is cut at two standard deviations.
_TRUNCATED_NORMAL_STDDEV = 0.87962566103423978

_MODES = ("fan_in", "fan_out", "fan_avg")
_DISTRIBUTIONS = ("normal", "uniform", "truncated_normal", "untruncated_normal")


class Initializer:
    """Base of all initializers."""

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike | None = None, partition_info: PartitionInfo | None = None
    ) -> Tensor:
        """Returns the initial value.

        Args:
            shape: list of int, the shape of the variable.
            dtype: its dtype; None for the initializer's.
            partition_info: PartitionInfo, if the variable is a slice.

        Returns:
            A tensor of that shape and dtype.
        """
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal initializer, as JSON can hold them."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Returns the initializer that `get_config` describes.

        Args:
            config: dict of constructor arguments.

        Returns:
            An initializer of this class.
        """
        return cls(**config)


def _float_dtype(dtype: Any) -> dtypes.DType:
    found: dtypes.DType = dtypes.as_dtype(dtype)
    if not found.is_floating:
        raise ValueError(f"Expected floating point type, got {found}.")
    return found


def _scaled(gain: Any, x: Tensor) -> Tensor:
    with name_scope("mul") as scope:
        return tensor_op("Mul", [convert_to_tensor(gain, dtype=x.dtype.base_dtype, name="x"), x], name=scope)


class Zeros(Initializer):
    """Initializer with zeros.

    Args:
        dtype: the dtype where a call gives none.

    Example:
        >>> bias = tf.get_variable("bias", [3], initializer=tf.zeros_initializer())
        >>> sess.run(bias.initializer)
        >>> print(sess.run(bias))
        [0. 0. 0.]
    """

    def __init__(self, dtype: DTypeLike = dtypes.float32) -> None:
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike | None = None, partition_info: PartitionInfo | None = None
    ) -> Tensor:
        return zeros(shape, self.dtype if dtype is None else dtype)

    def get_config(self) -> dict[str, Any]:
        return {"dtype": self.dtype.name}


class Ones(Initializer):
    """Initializer with ones.

    Args:
        dtype: the dtype where a call gives none.
    """

    def __init__(self, dtype: DTypeLike = dtypes.float32) -> None:
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike | None = None, partition_info: PartitionInfo | None = None
    ) -> Tensor:
        return ones(shape, self.dtype if dtype is None else dtype)

    def get_config(self) -> dict[str, Any]:
        return {"dtype": self.dtype.name}


class Constant(Initializer):
    """Initializer with given values.

    Args:
        value: a number, list, tuple or array. One with fewer elements than the variable is filled up with its last; one
            with more is an error.
        dtype: the dtype where a call gives none.
        verify_shape: bool. If True, the shape of `value` must be the variable's.

    Raises:
        TypeError: if `value` is not a number, list, tuple or array.

    Example:
        >>> bias = tf.get_variable("bias", [3], initializer=tf.constant_initializer(0.1))
        >>> sess.run(bias.initializer)
        >>> print(sess.run(bias))
        [0.1 0.1 0.1]
    """

    def __init__(self, value: TensorLike = 0, dtype: DTypeLike = dtypes.float32, verify_shape: bool = False) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value: {type(value)} "
                "(expected Python scalar, list or tuple of values, or numpy.ndarray)."
            )
        self.value = value
        self.dtype = dtypes.as_dtype(dtype)
        self._verify_shape = verify_shape

    def __call__(
        self,
        shape: ShapeLike,
        dtype: DTypeLike | None = None,
        partition_info: PartitionInfo | None = None,
        verify_shape: bool | None = None,
    ) -> Tensor:
        return constant(
            self.value,
            dtype=self.dtype if dtype is None else dtype,
            shape=shape,
            verify_shape=self._verify_shape if verify_shape is None else verify_shape,
        )

    def get_config(self) -> dict[str, Any]:
        # TF 1.x: `verify_shape` is left out.
        return {"value": self.value, "dtype": self.dtype.name}


class RandomInitializer(Initializer):
    """Base class of initializers with random numbers; a subclass may draw them otherwise."""

    seed: int | None
    # No methods: each frame counts when a variable is made.
    _uniform: ClassVar[Callable[..., Tensor]] = staticmethod(random_uniform)
    _normal: ClassVar[Callable[..., Tensor]] = staticmethod(random_normal)
    _truncated_normal: ClassVar[Callable[..., Tensor]] = staticmethod(truncated_normal)


class RandomUniform(RandomInitializer):
    """Initializer that draws from a uniform distribution.

    Args:
        minval: float, int or scalar tensor of the dtype, the least value.
        maxval: float, int or scalar tensor of the dtype, the bound that values stay below; None for 1 with float
            dtypes.
        seed: int, the op seed.
        dtype: the dtype where a call gives none.

    Example:
        >>> w = tf.get_variable("w", [100], initializer=tf.random_uniform_initializer(-0.1, 0.1, seed=1))
        >>> sess.run(w.initializer)
        >>> print(np.abs(sess.run(w)).max() < 0.1)
        True
    """

    def __init__(
        self,
        minval: FloatLike = 0,
        maxval: FloatLike | None = None,
        seed: int | None = None,
        dtype: DTypeLike = dtypes.float32,
    ) -> None:
        self.minval = minval
        self.maxval = maxval
        self.seed = seed
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike | None = None, partition_info: PartitionInfo | None = None
    ) -> Tensor:
        dtype = self.dtype if dtype is None else dtype
        return self._uniform(shape, self.minval, self.maxval, dtype, seed=self.seed)

    def get_config(self) -> dict[str, Any]:
        return {"minval": self.minval, "maxval": self.maxval, "seed": self.seed, "dtype": self.dtype.name}


class RandomNormal(RandomInitializer):
    """Initializer that draws from a normal distribution.

    Args:
        mean: float or scalar tensor of the dtype.
        stddev: float or scalar tensor of the dtype.
        seed: int, the op seed.
        dtype: the dtype where a call gives none.

    Raises:
        ValueError: if `dtype` is not a float dtype.

    Example:
        >>> w = tf.get_variable("w", [200, 300], initializer=tf.random_normal_initializer(stddev=0.02, seed=1))
        >>> sess.run(w.initializer)
        >>> print(sess.run(w).std().round(3))
        0.02
    """

    def __init__(
        self, mean: FloatLike = 0.0, stddev: FloatLike = 1.0, seed: int | None = None, dtype: DTypeLike = dtypes.float32
    ) -> None:
        self.mean = mean
        self.stddev = stddev
        self.seed = seed
        self.dtype = _float_dtype(dtype)

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike | None = None, partition_info: PartitionInfo | None = None
    ) -> Tensor:
        dtype = self.dtype if dtype is None else dtype
        return self._normal(shape, self.mean, self.stddev, dtype, seed=self.seed)

    def get_config(self) -> dict[str, Any]:
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed, "dtype": self.dtype.name}


class TruncatedNormal(RandomInitializer):
    """Initializer that draws from a normal distribution truncated at two standard deviations from the mean.

    Args:
        mean: float or scalar tensor of the dtype.
        stddev: float or scalar tensor of the dtype, of the distribution before it is cut.
        seed: int, the op seed.
        dtype: the dtype where a call gives none.

    Raises:
        ValueError: if `dtype` is not a float dtype.

    Example:
        >>> w = tf.get_variable("w", [50, 50], initializer=tf.truncated_normal_initializer(stddev=0.1, seed=1))
        >>> sess.run(w.initializer)
        >>> print(np.abs(sess.run(w)).max() <= 0.2)
        True
    """

    def __init__(
        self, mean: FloatLike = 0.0, stddev: FloatLike = 1.0, seed: int | None = None, dtype: DTypeLike = dtypes.float32
    ) -> None:
        self.mean = mean
        self.stddev = stddev
        self.seed = seed
        self.dtype = _float_dtype(dtype)

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike | None = None, partition_info: PartitionInfo | None = None
    ) -> Tensor:
        dtype = self.dtype if dtype is None else dtype
        return self._truncated_normal(shape, self.mean, self.stddev, dtype, seed=self.seed)

    def get_config(self) -> dict[str, Any]:
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed, "dtype": self.dtype.name}


class UniformUnitScaling(RandomInitializer):
    """Deprecated: use `VarianceScaling` with "uniform". Initializer whose range keeps the scale of inputs.

    Args:
        factor: number that multiplies the range.
        seed: int, the op seed.
        dtype: the dtype where a call gives none.

    Raises:
        ValueError: if `dtype` is not a float dtype.
    """

    @deprecated("tf.initializers.variance_scaling with distribution=uniform", name="UniformUnitScaling")
    def __init__(self, factor: float = 1.0, seed: int | None = None, dtype: DTypeLike = dtypes.float32) -> None:
        self.factor = factor
        self.seed = seed
        self.dtype = _float_dtype(dtype)

    def __call__(
        self, shape: Any, dtype: DTypeLike | None = None, partition_info: PartitionInfo | None = None
    ) -> Tensor:
        dtype = self.dtype if dtype is None else dtype
        inputs = 1.0
        for dim in (shape if partition_info is None else partition_info.full_shape)[:-1]:
            inputs *= float(dim)
        limit = math.sqrt(3 / max(inputs, 1.0)) * self.factor
        return self._uniform(shape, -limit, limit, dtype, seed=self.seed)

    def get_config(self) -> dict[str, Any]:
        return {"factor": self.factor, "seed": self.seed, "dtype": self.dtype.name}


class VarianceScaling(RandomInitializer):
    """Initializer whose variance is a scale divided by the number of a unit's inputs, outputs, or their mean.

    Args:
        scale: float above zero.
        mode: "fan_in", "fan_out" or "fan_avg".
        distribution: "truncated_normal" or "normal" (the same), "untruncated_normal" or "uniform".
        seed: int, the op seed.
        dtype: the dtype where a call gives none.

    Raises:
        ValueError: if `scale` is not positive, `mode` or `distribution` is not one of these, or `dtype` is not a float
            dtype.
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
        dtype: DTypeLike = dtypes.float32,
    ) -> None:
        if scale <= 0.0:
            raise ValueError("`scale` must be positive float.")
        if mode not in _MODES:
            raise ValueError(f"Invalid `mode` argument: {mode}; it must be one of {', '.join(_MODES)}")
        distribution = distribution.lower()
        if distribution not in _DISTRIBUTIONS:
            raise ValueError(
                f"Invalid `distribution` argument: {distribution}; it must be one of {', '.join(_DISTRIBUTIONS)}"
            )
        self.scale = scale
        self.mode = mode
        self.distribution = distribution
        self.seed = seed
        self.dtype = _float_dtype(dtype)

    def __call__(
        self, shape: Any, dtype: DTypeLike | None = None, partition_info: PartitionInfo | None = None
    ) -> Tensor:
        dtype = self.dtype if dtype is None else dtype
        fan_in, fan_out = _fans(shape if partition_info is None else partition_info.full_shape)
        fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2.0}[self.mode]
        scale = self.scale / max(1.0, fan)
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * scale)
            return self._uniform(shape, -limit, limit, dtype, seed=self.seed)
        stddev = math.sqrt(scale)
        if self.distribution == "untruncated_normal":
            return self._normal(shape, 0.0, stddev, dtype, seed=self.seed)
        # TF 1.x: since 1.10 the deviation is that of the distribution after it was cut.
        return self._truncated_normal(shape, 0.0, stddev / _TRUNCATED_NORMAL_STDDEV, dtype, seed=self.seed)

    def get_config(self) -> dict[str, Any]:
        return {
            "scale": self.scale,
            "mode": self.mode,
            "distribution": self.distribution,
            "seed": self.seed,
            "dtype": self.dtype.name,
        }


def _fans(shape: Sequence[int]) -> tuple[int, int]:
    """Returns (inputs, outputs) of one unit of a weight: [in], [in, out] or [..., in, out] with a receptive field in
    front.
    """
    sizes = [int(d) for d in shape]
    if not sizes:
        return 1, 1
    if len(sizes) == 1:
        return sizes[0], sizes[0]
    field = math.prod(sizes[:-2])
    return sizes[-2] * field, sizes[-1] * field


class GlorotUniform(VarianceScaling):
    """Glorot's (Xavier's) initializer: uniform numbers of variance 2 / (inputs + outputs).

    Args:
        seed: int, the op seed.
        dtype: the dtype where a call gives none.

    Source: Glorot and Bengio, Understanding the difficulty of training deep feedforward neural networks, 2010.
    """

    def __init__(self, seed: int | None = None, dtype: DTypeLike = dtypes.float32) -> None:
        super().__init__(scale=1.0, mode="fan_avg", distribution="uniform", seed=seed, dtype=dtype)

    def get_config(self) -> dict[str, Any]:
        return {"seed": self.seed, "dtype": self.dtype.name}


class GlorotNormal(VarianceScaling):
    """Glorot's (Xavier's) initializer: truncated normal numbers of variance 2 / (inputs + outputs).

    Args:
        seed: int, the op seed.
        dtype: the dtype where a call gives none.

    Source: as `GlorotUniform`.
    """

    def __init__(self, seed: int | None = None, dtype: DTypeLike = dtypes.float32) -> None:
        super().__init__(scale=1.0, mode="fan_avg", distribution="truncated_normal", seed=seed, dtype=dtype)

    def get_config(self) -> dict[str, Any]:
        return {"seed": self.seed, "dtype": self.dtype.name}


def lecun_normal(seed: int | None = None) -> VarianceScaling:
    """Returns LeCun's initializer: truncated normal numbers of variance 1 / inputs.

    Args:
        seed: int, the op seed.

    Returns:
        A `VarianceScaling` initializer.

    Source: LeCun, Bottou, Orr and Müller, Efficient BackProp, 1998.
    """
    return VarianceScaling(scale=1.0, mode="fan_in", distribution="truncated_normal", seed=seed)


def lecun_uniform(seed: int | None = None) -> VarianceScaling:
    """Returns LeCun's initializer: uniform numbers of variance 1 / inputs.

    Args:
        seed: int, the op seed.

    Returns:
        A `VarianceScaling` initializer.

    Source: LeCun, Bottou, Orr and Müller, Efficient BackProp, 1998.
    """
    return VarianceScaling(scale=1.0, mode="fan_in", distribution="uniform", seed=seed)


def he_normal(seed: int | None = None) -> VarianceScaling:
    """Returns He's initializer: truncated normal numbers of variance 2 / inputs.

    Args:
        seed: int, the op seed.

    Returns:
        A `VarianceScaling` initializer.

    Source: He, Zhang, Ren and Sun, Delving deep into rectifiers, 2015.
    """
    return VarianceScaling(scale=2.0, mode="fan_in", distribution="truncated_normal", seed=seed)


def he_uniform(seed: int | None = None) -> VarianceScaling:
    """Returns He's initializer: uniform numbers of variance 2 / inputs.

    Args:
        seed: int, the op seed.

    Returns:
        A `VarianceScaling` initializer.

    Source: He, Zhang, Ren and Sun, Delving deep into rectifiers, 2015.
    """
    return VarianceScaling(scale=2.0, mode="fan_in", distribution="uniform", seed=seed)


class Orthogonal(RandomInitializer):
    """Initializer with a random matrix with orthogonal rows or columns, whichever are fewer, scaled by a gain.

    A shape of more than two dimensions is that matrix with all but the last dimension taken together.

    Args:
        gain: number that multiplies the matrix.
        seed: int, the op seed.
        dtype: the dtype where a call gives none.

    Raises:
        ValueError: if `dtype` is not a float dtype; by a call, for fewer than two dimensions.

    Source: Saxe, McClelland and Ganguli, Exact solutions to the nonlinear dynamics of learning, 2014.
    """

    def __init__(self, gain: TensorLike = 1.0, seed: int | None = None, dtype: DTypeLike = dtypes.float32) -> None:
        self.gain = gain
        self.dtype = _float_dtype(dtype)
        self.seed = seed

    def __call__(
        self, shape: Any, dtype: DTypeLike | None = None, partition_info: PartitionInfo | None = None
    ) -> Tensor:
        dtype = self.dtype if dtype is None else dtype
        if len(shape) < 2:
            raise ValueError("The tensor to initialize must be at least two-dimensional")
        sizes = [int(d) for d in shape]
        rows, columns = math.prod(sizes[:-1]), sizes[-1]
        normal = self._normal((max(rows, columns), min(rows, columns)), 0.0, 1.0, dtype, seed=self.seed)
        q, r = apply_op("Qr", [normal], attrs={"full_matrices": False}).outputs
        # The signs of R's diagonal make Q unique, hence uniformly distributed.
        q = tensor_op("Mul", [q, tensor_op("Sign", [tensor_op("DiagPart", [r])])], name="mul")
        if rows < columns:
            q = matrix_transpose(q)
        return _scaled(self.gain, reshape(q, shape))

    def get_config(self) -> dict[str, Any]:
        return {"gain": self.gain, "seed": self.seed, "dtype": self.dtype.name}


class Identity(Initializer):
    """Initializer with the identity matrix times a gain.

    Args:
        gain: number that multiplies the matrix.
        dtype: the dtype where a call gives none.

    Raises:
        ValueError: if `dtype` is not a float dtype; by a call, for a shape that is not a matrix's.
    """

    def __init__(self, gain: TensorLike = 1.0, dtype: DTypeLike = dtypes.float32) -> None:
        self.gain = gain
        self.dtype = _float_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: PartitionInfo | None = None) -> Tensor:
        full_shape = shape if partition_info is None else partition_info.full_shape
        if len(full_shape) != 2:
            raise ValueError("Identity matrix initializer can only be used for 2D matrices.")
        if isinstance(full_shape, TensorShape):
            full_shape = full_shape.as_list()
        rows, columns = full_shape
        matrix = eye(rows, columns, dtype=self.dtype if dtype is None else dtype)
        if partition_info is not None:
            matrix = tensor_op("Slice", [matrix, partition_info.var_offset, shape])
        return _scaled(self.gain, matrix)

    def get_config(self) -> dict[str, Any]:
        return {"gain": self.gain, "dtype": self.dtype.name}


zeros_initializer = Zeros
ones_initializer = Ones
constant_initializer = Constant
random_uniform_initializer = RandomUniform
random_normal_initializer = RandomNormal
truncated_normal_initializer = TruncatedNormal
uniform_unit_scaling_initializer = UniformUnitScaling
variance_scaling_initializer = VarianceScaling
orthogonal_initializer = Orthogonal
identity_initializer = Identity
glorot_uniform_initializer = GlorotUniform
glorot_normal_initializer = GlorotNormal
