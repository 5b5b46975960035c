"""`map_fn`, `scan`, `foldl`, `foldr`: functions applied along the first dimension of tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import DTypeLike, Initializer, TensorLike
from ferroflow._src.control_flow.loop import while_loop
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.shaping import shape
from ferroflow._src.ops.tensor_array import TensorArray


def flat(structure: Any) -> list[Any]:
    """Returns the leaves of a nest, or what is none as a list of one."""
    return nest.flatten(structure) if nest.is_sequence(structure) else [structure]


def packed(structure: Any, leaves: Sequence[Any]) -> Any:
    """Returns leaves in the structure of a nest; the opposite of `flat`."""
    return nest.pack_sequence_as(structure, list(leaves)) if nest.is_sequence(structure) else leaves[0]


def _check_callable(fn: Any) -> None:
    if not callable(fn):
        raise TypeError("fn must be callable.")


class _Elements:
    """Tensors split along their first dimension."""

    def __init__(self, elems: Any) -> None:
        self._structure = elems
        self.tensors = [convert_to_tensor(elem, name="elem") for elem in flat(elems)]
        for tensor in self.tensors:
            if tensor.shape.ndims == 0:
                if len(self.tensors) == 1:
                    raise ValueError("elems must be a 1+ dimensional Tensor, not a scalar")
                raise ValueError("elements in elems must be 1+ dimensional Tensors, not scalars")
        first = self.tensors[0]
        self.known_count = first.shape[0].value if first.shape.dims else None
        self.count: Any = self.known_count if self.known_count is not None else shape(first)[0]
        self._arrays = [TensorArray(t.dtype.base_dtype, size=self.count).unstack(t) for t in self.tensors]

    def at(self, index: Any) -> Any:
        """Returns the elements at one index, in the structure of the whole."""
        return packed(self._structure, self.flat_at(index))

    def flat_at(self, index: Any) -> list[Tensor]:
        """Returns the elements at one index."""
        return [array.read(index) for array in self._arrays]

    def stacked(self, arrays: Sequence[TensorArray]) -> list[Tensor]:
        """Returns the results for all elements."""
        count = self.known_count
        for tensor in self.tensors[1:]:
            other = tensor.shape[0].value if tensor.shape.dims else None
            if count is not None and other is not None and count != other:
                raise ValueError(f"Dimensions {count} and {other} are not compatible")
            count = other if count is None else count
        results = [array.stack() for array in arrays]
        for result in results:
            if result.shape.dims is not None:
                result.set_shape(TensorShape([count]).concatenate(result.shape[1:]))
        return results


def map_fn(
    fn: Callable[[Any], Any],
    elems: TensorLike,
    dtype: DTypeLike | None = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
) -> Any:
    """Applies `fn` to each element along the first dimension and stacks the results.

    Args:
        fn: callable from a nest of elements to a nest of tensors.
        elems: tensor [n, ...], or nest of such.
        dtype: type, or nest of types, of the results of `fn`; by default those of `elems`.
        parallel_iterations: accepted; elements are taken one after the other.
        back_prop: If True, gradients may pass.
        swap_memory: accepted.
        infer_shape: If True, all results have one shape.
        name: name scope of the operations.

    Returns:
        The nest of tensors that `fn` gives, of the types of `dtype`, each of shape [n] + the shape of one.

    Raises:
        TypeError: if `fn` is not callable, `elems` is a SparseTensor, or the result's structure differs from that of
            `dtype`.
        ValueError: if an element is a scalar.
    """
    _check_callable(fn)
    if isinstance(elems, SparseTensor):
        raise TypeError(
            "To perform a map on the values of a sparse tensor use either "
            " SparseTensor(input.indices, fn(input.values), input.dense_shape) or "
            " SparseTensor(input.indices, map_fn(fn, input.values), input.dense_shape)"
        )
    with name_scope(name, "map", flat(elems)):
        elements = _Elements(elems)
        types = dtype if dtype is not None else packed(elems, [t.dtype.base_dtype for t in elements.tensors])
        start = constant(0)
        results = [TensorArray(t, size=elements.count, infer_shape=infer_shape) for t in flat(types)]

        def body(i: Tensor, arrays: Any) -> Any:
            values = fn(elements.at(i))
            nest.assert_same_structure(types, values)
            written = [array.write(i, value) for array, value in zip(arrays, flat(values), strict=True)]
            return i + 1, written

        _, ended = while_loop(
            lambda i, _: i < elements.count,
            body,
            (start, results),
            parallel_iterations=parallel_iterations or 10,
            back_prop=back_prop,
            swap_memory=swap_memory,
            maximum_iterations=elements.count,
        )
        return packed(types, elements.stacked(ended))


def scan(
    fn: Callable[[Any, Any], Any],
    elems: TensorLike,
    initializer: Initializer | None = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the accumulated values of `fn` along the first dimension, stacked.

    Args:
        fn: makes the next accumulated value of (the one before, an element).
        elems: tensor [n, ...], or nest of such.
        initializer: nest of tensors, the value before the first element; by default the first element is the first
            value.
        parallel_iterations: accepted; elements are taken one after the other.
        back_prop: If True, gradients may pass.
        swap_memory: accepted.
        infer_shape: If True, all accumulated values have one shape.
        reverse: If True, elements are taken from the last to the first.
        name: name scope of the operations.

    Returns:
        The nest of tensors that `fn` gives, of the dtypes of `initializer`, each of shape [n] + the shape of one.

    Raises:
        TypeError: if `fn` is not callable, or the result's structure differs from that of `initializer`.
        ValueError: if an element is a scalar.
    """
    _check_callable(fn)
    with name_scope(name, "scan", flat(elems)):
        elements = _Elements(elems)
        structure = elems if initializer is None else initializer
        if initializer is None:
            first = elements.count - 1 if reverse else 0
            values = elements.flat_at(first)
            taken = 1
        else:
            values = [convert_to_tensor(value) for value in flat(initializer)]
            taken = 0
        arrays = [
            TensorArray(
                value.dtype.base_dtype,
                size=elements.count,
                element_shape=value.shape if infer_shape else None,
                infer_shape=infer_shape,
            )
            for value in values
        ]
        if initializer is None:
            arrays = [array.write(first, value) for array, value in zip(arrays, values, strict=True)]

        start = elements.count - 1 - taken if reverse else taken

        def body(i: Tensor, accumulated: Any, arrays: Any) -> Any:
            following = fn(packed(structure, accumulated), elements.at(i))
            nest.assert_same_structure(structure, following)
            leaves = flat(following)
            written = [array.write(i, value) for array, value in zip(arrays, leaves, strict=True)]
            return (i - 1 if reverse else i + 1), leaves, written

        _, _, ended = while_loop(
            (lambda i, _1, _2: i >= 0) if reverse else (lambda i, _1, _2: i < elements.count),
            body,
            (start, values, arrays),
            parallel_iterations=parallel_iterations,
            back_prop=back_prop,
            swap_memory=swap_memory,
            maximum_iterations=elements.count,
        )
        return packed(structure, elements.stacked(ended))


def _fold(
    fn: Callable[[Any, Any], Any], elems: Any, initializer: Any, loop: dict[str, Any], name: str | None, reverse: bool
) -> Any:
    _check_callable(fn)
    with name_scope(name, "foldr" if reverse else "foldl", flat(elems)):
        elements = _Elements(elems)
        start = elements.count if reverse else 0
        if initializer is None:
            start = start - 1 if reverse else 1
            value = elements.at(start if reverse else 0)
        else:
            value = initializer
        start = start if reverse else constant(start)
        value = nest.map_structure(convert_to_tensor, value)

        def forwards(i: Tensor, a: Any) -> Any:
            following = fn(a, elements.at(i))
            return i + 1, following

        def backwards(i: Tensor, a: Any) -> Any:
            before = i - 1
            return before, fn(a, elements.at(before))

        _, result = while_loop(
            (lambda i, _: i > 0) if reverse else (lambda i, _: i < elements.count),
            backwards if reverse else forwards,
            (start, value),
            maximum_iterations=elements.count,
            **loop,
        )
        return result


def foldl(
    fn: Callable[[Any, Any], Any],
    elems: TensorLike,
    initializer: Initializer | None = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the last accumulated value of `fn` along the first dimension, from the first element on.

    Args:
        fn: makes the next accumulated value of (the one before, an element).
        elems: tensor [n, ...], or nest of such.
        initializer: nest of tensors, the value before the first element; by default that is the first element.
        parallel_iterations: accepted; elements are taken one after the other.
        back_prop: If True, gradients may pass.
        swap_memory: accepted.
        name: name scope of the operations.

    Returns:
        The nest of tensors that `fn` gives for the last element, of the dtypes of `initializer`.

    Raises:
        TypeError: if `fn` is not callable.
        ValueError: if an element is a scalar.
    """
    loop = {"parallel_iterations": parallel_iterations, "back_prop": back_prop, "swap_memory": swap_memory}
    return _fold(fn, elems, initializer, loop, name, reverse=False)


def foldr(
    fn: Callable[[Any, Any], Any],
    elems: TensorLike,
    initializer: Initializer | None = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the last accumulated value of `fn` along the first dimension, from the last element to the first.

    Args:
        fn: makes the next accumulated value of (the one before, an element).
        elems: tensor [n, ...], or nest of such.
        initializer: nest of tensors, the value before the last element; by default that is the last element.
        parallel_iterations: accepted; elements are taken one after the other.
        back_prop: If True, gradients may pass.
        swap_memory: accepted.
        name: name scope of the operations.

    Returns:
        The nest of tensors that `fn` gives for the first element, of the dtypes of `initializer`.

    Raises:
        TypeError: if `fn` is not callable.
        ValueError: if an element is a scalar.
    """
    loop = {"parallel_iterations": parallel_iterations, "back_prop": back_prop, "swap_memory": swap_memory}
    return _fold(fn, elems, initializer, loop, name, reverse=True)
