"""`Iterator`: steps through the elements of datasets."""

from __future__ import annotations

import warnings
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import NestedDTypes, NestedShapes, TensorLike
from ferroflow._src.data import element_nest as nest
from ferroflow._src.data.element_specs import specifications
from ferroflow._src.data.structure import Structure
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import add_to_collection, colocate_with, name_scope
from ferroflow._src.framework.handles import Operation, Tensor

# The collection of the resources of all iterators of a graph.
ITERATORS = "iterators"

_MANY_CALLS = 32
_WARNING = (
    "An unusually high number of `Iterator.get_next()` calls was detected. This often indicates that "
    "`Iterator.get_next()` is being called inside a training loop, which will cause gradual slowdown and eventual "
    "resource exhaustion. If this is the case, restructure your code to call `next_element = iterator.get_next()` once "
    "outside the loop, and use `next_element` as the input to some computation that is invoked inside the loop."
)


class Iterator:
    """The state of a pass over a dataset; made by methods of `Dataset`, or by `from_structure`, `from_string_handle`.

    Args:
        iterator_resource: Tensor of resource, of shape [].
        initializer: the operation that starts it, or None.
        output_types: structure of DTypes.
        output_shapes: structure of TensorShapes.
        output_classes: structure of classes, nested as the types are: `tf.Tensor` or `tf.SparseTensor`.
    """

    def __init__(
        self, iterator_resource: Tensor, initializer: Any, output_types: Any, output_shapes: Any, output_classes: Any
    ) -> None:
        self._iterator_resource = iterator_resource
        self._initializer = initializer
        self._structure = Structure(output_types, output_shapes, output_classes)
        self._string_handle = tensor_op("IteratorToStringHandle", [iterator_resource])
        self._get_next_call_count = 0
        add_to_collection(ITERATORS, iterator_resource)

    @staticmethod
    def from_structure(
        output_types: NestedDTypes,
        output_shapes: NestedShapes | None = None,
        shared_name: str | None = None,
        output_classes: object = None,
    ) -> Iterator:
        """Returns an iterator without a dataset, for `make_initializer`.

        Args:
            output_types: structure of dtypes.
            output_shapes: structure of shapes; by default nothing is known of them.
            shared_name: sessions on the same resources share an iterator of this name.
            output_classes: structure of classes, each `tf.Tensor` (by default) or `tf.SparseTensor`, in the same nest.

        Returns:
            Iterator, without an `initializer`.

        Raises:
            TypeError, ValueError: if the structures have different nesting.

        Example:
            >>> train, test = tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)
            >>> iterator = tf.data.Iterator.from_structure(train.output_types, train.output_shapes)
            >>> element = iterator.get_next()
            >>> sess.run(iterator.make_initializer(test))
            >>> print(sess.run(element), sess.run(element))
            10 11
        """
        structure = Structure.declared(output_types, output_shapes, output_classes)
        return Iterator(iterator_resource(structure, shared_name), None, *structure)

    @staticmethod
    def from_string_handle(
        string_handle: TensorLike, output_types: Any, output_shapes: Any = None, output_classes: Any = None
    ) -> Iterator:
        """Returns the iterator whose handle is fed or computed.

        Args:
            string_handle: Tensor of string, of shape [], as the run of another iterator's `string_handle()` gives it.
            output_types: structure of dtypes.
            output_shapes: structure of shapes; by default nothing is known of them.
            output_classes: structure of classes, each `tf.Tensor` (by default) or `tf.SparseTensor`, in the same nest.

        Returns:
            Iterator, without an `initializer`.

        Raises:
            TypeError, ValueError: if the structures have different nesting.
        """
        structure = Structure.declared(output_types, output_shapes, output_classes)
        handle = convert_to_tensor(string_handle, dtype=dtypes.string)
        return Iterator(tensor_op("IteratorFromStringHandleV2", [handle], structure.attrs()), None, *structure)

    @property
    def initializer(self) -> Operation:
        """The operation that starts the iterator at the first element.

        Raises:
            ValueError: if a one-shot iterator, or one without a dataset of its own.
        """
        if self._initializer is None:
            raise ValueError("Iterator does not have an initializer.")
        initializer: Operation = self._initializer
        return initializer

    def make_initializer(self, dataset: Any, name: str | None = None) -> Operation:
        """Returns an operation that starts the iterator at the first element of a dataset.

        Args:
            dataset: Dataset of elements of this iterator's structure.
            name: str, name of the operation.

        Returns:
            Operation.

        Raises:
            TypeError: if types, shapes or classes differ.
            ValueError: if the dataset's elements have another structure.
        """
        with name_scope(name, "make_initializer") as scope:
            types, shapes, classes = self._structure
            nest.assert_same_structure(types, dataset.output_types)
            nest.assert_same_structure(shapes, dataset.output_shapes)
            for own, other in zip(nest.flatten(classes), nest.flatten(dataset.output_classes), strict=True):
                if own != other:
                    raise TypeError(
                        f"Expected output classes {classes!r} but got dataset with output class "
                        f"{dataset.output_classes!r}."
                    )
            for own, other in zip(nest.flatten(types), nest.flatten(dataset.output_types), strict=True):
                if own != other:
                    raise TypeError(
                        f"Expected output types {types!r} but got dataset with output types {dataset.output_types!r}."
                    )
            for own, other in zip(nest.flatten(shapes), nest.flatten(dataset.output_shapes), strict=True):
                if not own.is_compatible_with(other):
                    raise TypeError(
                        f"Expected output shapes compatible with {shapes!r} but got dataset with output shapes "
                        f"{dataset.output_shapes!r}."
                    )
            with colocate_with(self._iterator_resource):
                return apply_op("MakeIterator", [dataset._as_variant_tensor(), self._iterator_resource], name=scope)

    def get_next(self, name: str | None = None) -> Any:
        """Returns tensors of an element, the next one at each run.

        Args:
            name: str, name of the operation.

        Returns:
            Structure of Tensors and SparseTensors of the iterator's dtypes and shapes. A run raises OutOfRangeError
            after the last element, and FailedPreconditionError before the iterator is started.
        """
        self._get_next_call_count += 1
        if self._get_next_call_count > _MANY_CALLS:
            warnings.warn(_WARNING, stacklevel=2)
        op = apply_op("IteratorGetNext", [self._iterator_resource], self._structure.attrs(), name=name)
        return self._structure.element(op.outputs)

    def string_handle(self, name: str | None = None) -> Tensor:
        """Returns the handle by which `from_string_handle` finds this iterator.

        Args:
            name: str, name of the operation; None for the one that was made with the iterator.

        Returns:
            Tensor of string, of shape [].
        """
        if name is None:
            return self._string_handle
        return tensor_op("IteratorToStringHandle", [self._iterator_resource], name=name)

    @property
    def element_spec(self) -> Any:
        """The specifications of the components: TensorSpec, SparseTensorSpec or DatasetSpec, nested as elements are."""
        return specifications(self._structure)

    @property
    def output_classes(self) -> Any:
        """The classes of the components, Tensor or SparseTensor, nested as elements are."""
        return self._structure.classes

    @property
    def output_shapes(self) -> Any:
        """The shapes of the components, nested as elements are."""
        return self._structure.shapes

    @property
    def output_types(self) -> Any:
        """The dtypes of the components, nested as elements are."""
        return self._structure.types


def iterator_resource(structure: Structure, shared_name: str | None) -> Tensor:
    """Returns an iterator that is not started."""
    attrs = {"container": "", "shared_name": shared_name or "", **structure.attrs()}
    return tensor_op("IteratorV2", [], attrs)


def resource_of(iterator: Iterator) -> Tensor:
    """Returns the handle of an iterator, a Tensor of resource, of shape []."""
    return iterator._iterator_resource


def next_optional(iterator: Iterator) -> tuple[Tensor, Structure]:
    """Returns the next element of an iterator, or its absence, as the tensor of an optional, and its structure.

    Args:
        iterator: Iterator.
    """
    structure = iterator._structure
    tensor = tensor_op("IteratorGetNextAsOptional", [iterator._iterator_resource], structure.attrs())
    return tensor, structure
