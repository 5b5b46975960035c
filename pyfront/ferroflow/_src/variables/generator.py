"""`tf.random.experimental.Generator`: random numbers of a generator whose state is a variable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NoReturn

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import DTypeLike, ShapeTensorLike, TensorLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array.joining import concat, stack, unstack
from ferroflow._src.ops.array.making import zeros_like
from ferroflow._src.ops.math.arithmetic import add
from ferroflow._src.variables.auto_trackable import AutoTrackable
from ferroflow._src.variables.resource_variable import ResourceVariable

PHILOX: Final = 1
_STATE_SIZES: Final = {PHILOX: 3}


def _state_size(algorithm: int) -> int:
    size = _STATE_SIZES.get(algorithm)
    if size is None:
        raise ValueError(f"Unsupported algorithm id: {algorithm}")
    return size


def create_rng_state(seed: int | Sequence[int] | np.ndarray, algorithm: int) -> np.ndarray:
    """Returns the state of a generator with a seed.

    Args:
        seed: int, or sequence of ints of 64 bits: the counter's low and high half, and the key.
        algorithm: int, the generator's algorithm; 1 for Philox.

    Returns:
        Array of int64, of shape [3].

    Raises:
        ValueError: if the algorithm is not Philox, or `seed` has several dimensions.

    Example:
        >>> print(tf.random.experimental.create_rng_state(7, 1))
        [7 0 0]
    """
    size = _state_size(algorithm)
    if isinstance(seed, int):
        words = [seed >> 64 * i & (1 << 64) - 1 for i in range(size)]
        state = np.array(words, np.uint64).astype(np.int64)
    else:
        state = np.array([int(n) & (1 << 64) - 1 for n in np.ravel(seed)], np.uint64).astype(np.int64)
    if np.ndim(seed) > 1:
        raise ValueError(f"seed should only have one dimension; got shape: {np.shape(seed)}")
    state = state[:size]
    return np.concatenate([np.zeros(size - len(state), np.int64), state])


class Generator(AutoTrackable):
    """A generator of random numbers, whose state is a variable: each draw moves it on.

    Args:
        copy_from: Generator to copy the state and algorithm of, or None.
        state: Tensor of int64, of shape [3], the state; None with `copy_from`.
        alg: int, the algorithm: 1 for Philox; None with `copy_from`.

    Raises:
        ValueError: if the algorithm is not Philox, or the state does not fit it.

    Example:
        >>> generator = tf.random.experimental.Generator.from_seed(1234)
        >>> numbers = generator.uniform([2])
        >>> sess.run(generator.state.initializer)
        >>> print(sess.run(numbers).shape)
        (2,)
    """

    def __init__(self, copy_from: Generator | None = None, state: Any = None, alg: int | None = None) -> None:
        if copy_from is not None:
            assert alg is None
            assert state is None
            value: Any = copy_from.state
            algorithm = copy_from.algorithm
        else:
            assert alg is not None
            assert state is not None
            value, algorithm = convert_to_tensor(state, dtype=dtypes.int64), alg
            value.shape.assert_is_compatible_with([_state_size(algorithm)])
        self._state_var = ResourceVariable(value, dtype=dtypes.int64, trainable=False)
        self._alg_var = algorithm

    @classmethod
    def from_state(cls, state: Any, alg: int) -> Generator:
        """Returns a generator with a state.

        Args:
            state: Tensor of int64, of shape [3].
            alg: int, the algorithm.

        Returns:
            Generator.
        """
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed: int | Sequence[int], alg: int | None = None) -> Generator:
        """Returns a generator with a seed.

        Args:
            seed: int, or sequence of ints.
            alg: int, the algorithm; None for Philox.

        Returns:
            Generator.
        """
        algorithm = PHILOX if alg is None else alg
        return cls(state=create_rng_state(seed, algorithm), alg=algorithm)

    @classmethod
    def from_non_deterministic_state(cls, alg: int | None = None) -> Generator:
        """Returns a generator whose state differs at each initialization.

        Args:
            alg: int, the algorithm; None for Philox.

        Returns:
            Generator.
        """
        algorithm = PHILOX if alg is None else alg
        shape = convert_to_tensor([_state_size(algorithm)], dtype=dtypes.int64)
        return cls(state=tensor_op("NonDeterministicInts", [shape], {"dtype": dtypes.int64}), alg=algorithm)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: int) -> Generator:
        """Returns a generator with a key and a counter.

        Args:
            key: Tensor of int64, of shape [].
            counter: Tensor of int64, of shape [2], the low half first.
            alg: int, the algorithm.

        Returns:
            Generator.
        """
        return cls(state=_joined(key, counter, alg), alg=alg)

    @property
    def state(self) -> ResourceVariable:
        """The variable with the state, of int64 and of shape [3]."""
        return self._state_var

    @property
    def algorithm(self) -> int:
        """The algorithm, int."""
        return self._alg_var

    @property
    def key(self) -> Tensor:
        """The key, Tensor of int64 and of shape []."""
        return self._state_var[-1]

    def reset(self, state: Any) -> Any:
        """Adds an assignment of the state.

        Args:
            state: Tensor of int64, of shape [3].

        Returns:
            Operation that assigns the state.
        """
        value = convert_to_tensor(state, dtype=dtypes.int64)
        value.shape.assert_is_compatible_with([_state_size(self.algorithm)])
        return self._state_var.assign(value)

    def reset_from_seed(self, seed: int | Sequence[int]) -> Any:
        """Adds an assignment of the state that a seed has.

        Args:
            seed: int, or sequence of ints.

        Returns:
            Operation that assigns the state.
        """
        return self._state_var.assign(create_rng_state(seed, self.algorithm))

    def reset_from_key_counter(self, key: Any, counter: Any) -> Any:
        """Adds an assignment of a key and a counter.

        Args:
            key: Tensor of int64, of shape [].
            counter: Tensor of int64, of shape [2].

        Returns:
            Operation that assigns the state.
        """
        return self._state_var.assign(_joined(key, counter, self.algorithm))

    def skip(self, delta: TensorLike) -> Operation:
        """Moves the generator on as `delta` draws of one number do.

        Args:
            delta: Tensor of int64, of shape [].

        Returns:
            Operation.
        """
        arguments = [self._state_var.handle, _algorithm(self), convert_to_tensor(delta, dtype=dtypes.int64)]
        return apply_op("RngSkip", arguments)

    def _drawn(self, op_type: str, shape: ShapeTensorLike, dtype: Any, *bounds: Any, name: str | None = None) -> Tensor:
        attrs = {"dtype": dtypes.as_dtype(dtype)}
        return tensor_op(op_type, [self._state_var.handle, _algorithm(self), shape, *bounds], attrs, name=name)

    def normal(
        self,
        shape: ShapeTensorLike,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 1.0,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Draws normal numbers.

        Args:
            shape: Tensor of int32 or int64, of shape [rank].
            mean: Tensor of `dtype` that broadcasts to the shape.
            stddev: Tensor of `dtype` that broadcasts to the shape.
            dtype: DType of the result: float16, bfloat16, float32 or float64.
            name: str, name of the operation.

        Returns:
            Tensor of `dtype`.
        """
        return self._scaled("stateful_normal", "StatefulStandardNormalV2", shape, mean, stddev, dtype, name)

    def truncated_normal(
        self,
        shape: ShapeTensorLike,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 1.0,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Draws normal numbers within two standard deviations of the mean.

        Args:
            shape: Tensor of int32 or int64, of shape [rank].
            mean: Tensor of `dtype` that broadcasts to the shape.
            stddev: Tensor of `dtype` that broadcasts to the shape.
            dtype: DType of the result: float16, bfloat16, float32 or float64.
            name: str, name of the operation.

        Returns:
            Tensor of `dtype`.
        """
        return self._scaled("truncated_normal", "StatefulTruncatedNormal", shape, mean, stddev, dtype, name)

    def _scaled(
        self, scope: str, op_type: str, shape: Any, mean: Any, stddev: Any, dtype: Any, name: str | None
    ) -> Tensor:
        with name_scope(name, scope, [shape, mean, stddev]) as named:
            shape = _shape_tensor(shape)
            mean = convert_to_tensor(mean, dtype=dtype, name="mean")
            stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
            return add(self._drawn(op_type, shape, dtype) * stddev, mean, name=named)

    def uniform(
        self,
        shape: ShapeTensorLike,
        minval: TensorLike = 0,
        maxval: TensorLike | None = None,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Draws numbers that are uniform in [minval, maxval).

        Args:
            shape: Tensor of int32 or int64, of shape [rank].
            minval: Tensor of `dtype`, of shape [].
            maxval: Tensor of `dtype`, of shape []; None for 1 where `dtype` is a float.
            dtype: DType of the result: a float dtype, int32, int64, uint32 or uint64.
            name: str, name of the operation.

        Returns:
            Tensor of `dtype`.

        Raises:
            ValueError: if `maxval` is None and `dtype` is an integer.
        """
        dtype = dtypes.as_dtype(dtype)
        if maxval is None:
            if dtype.is_integer:
                raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
            maxval = 1
        with name_scope(name, "stateful_uniform", [shape, minval, maxval]) as named:
            shape = _shape_tensor(shape)
            low = convert_to_tensor(minval, dtype=dtype, name="min")
            high = convert_to_tensor(maxval, dtype=dtype, name="max")
            if dtype.is_integer:
                return self._drawn("StatefulUniformInt", shape, dtype, low, high, name=named)
            return add(self._drawn("StatefulUniform", shape, dtype) * (high - low), low, name=named)

    def uniform_full_int(
        self, shape: ShapeTensorLike, dtype: DTypeLike = dtypes.uint64, name: str | None = None
    ) -> Tensor:
        """Draws whole numbers that are uniform in the range of their type.

        Args:
            shape: Tensor of int32 or int64, of shape [rank].
            dtype: DType of the result: int32, int64, uint32 or uint64.
            name: str, name of the operation.

        Returns:
            Tensor of `dtype`.
        """
        with name_scope(name, "stateful_uniform_full_int", [shape]) as named:
            return self._drawn("StatefulUniformFullInt", _shape_tensor(shape), dtype, name=named)

    def binomial(
        self,
        shape: ShapeTensorLike,
        counts: TensorLike,
        probs: TensorLike,
        dtype: DTypeLike = dtypes.int32,
        name: str | None = None,
    ) -> NoReturn:
        """Raises an error that says what to use instead.

        Args:
            shape: Tensor of int32 or int64, of shape [rank].
            counts: Tensor of a float dtype.
            probs: Tensor of a float dtype.
            dtype: DType of the result.
            name: str, name of the operation.

        Raises:
            NotImplementedError: on every call.
        """
        raise NotImplementedError("Generator.binomial: sum `uniform(...) < probs` over the trials")

    def _keys(self, shape: Sequence[int]) -> Tensor:
        return self.uniform_full_int(list(shape), dtype=dtypes.int64)

    def make_seeds(self, count: int = 1) -> Tensor:
        """Draws seeds for stateless operations.

        Args:
            count: int, the number of seeds.

        Returns:
            Tensor of int64, of shape [2, count]; each column is a seed.
        """
        keys = self._keys([count])
        return stack([keys, zeros_like(keys)])

    def split(self, count: int = 1) -> list[Generator]:
        """Returns generators that are independent of this one and of each other.

        Args:
            count: int, their number.

        Returns:
            list of Generators.
        """
        keys = unstack(self._keys([count]), num=count)
        return [Generator(state=stack([0, 0, key]), alg=self.algorithm) for key in keys]


def _algorithm(generator: Generator) -> Any:
    return np.int64(generator.algorithm)


def _shape_tensor(shape: Any) -> Tensor:
    """Returns a shape as a tensor; an empty one has int64."""
    if isinstance(shape, TensorShape):
        shape = shape.as_list()
    is_empty = isinstance(shape, list | tuple) and not shape
    return convert_to_tensor(shape, dtype=dtypes.int64 if is_empty else None, name="shape")


def _joined(key: Any, counter: Any, algorithm: int) -> Tensor:
    """Returns the state of a key and a counter."""
    counter, key = convert_to_tensor(counter, dtype=dtypes.int64), convert_to_tensor(key, dtype=dtypes.int64)
    counter.shape.assert_is_compatible_with([_state_size(algorithm) - 1])
    key.shape.assert_is_compatible_with([])
    return concat([counter, [key]], 0)


# The generator of all programs, which is made when it is first needed.
_global: list[Generator] = []


def get_global_generator() -> Generator:
    """Returns the generator that programs share; the first call makes one with a random state.

    Example:
        >>> tf.random.experimental.set_global_generator(tf.random.experimental.Generator.from_seed(3))
        >>> print(tf.random.experimental.get_global_generator().algorithm)
        1
    """
    if not _global:
        _global.append(Generator.from_non_deterministic_state())
    return _global[0]


def set_global_generator(generator: Generator) -> None:
    """Replaces the generator that programs share.

    Args:
        generator: Generator.
    """
    _global[:] = [generator]
