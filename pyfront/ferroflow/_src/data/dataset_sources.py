"""Static methods of `Dataset` that make datasets of tensors, generators, files and other datasets."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import (
    BoolLike,
    IntLike,
    ListLike,
    NestedDTypes,
    NestedShapes,
    TensorLike,
)
from ferroflow._src.data import element_nest as nest
from ferroflow._src.data.dataset_base import DatasetBase, int64, op_dataset
from ferroflow._src.data.element_function import ElementFunction
from ferroflow._src.data.generators import GeneratorFunctions
from ferroflow._src.data.structure import (
    Structure,
    many_serialized,
    normalized,
    serialized,
)
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.shaping import shape as shape_of
from ferroflow._src.ops.file.whole import matching_files
from ferroflow._src.ops.math.arithmetic import maximum

if TYPE_CHECKING:
    from ferroflow._src.data.dataset import Dataset


class DatasetSources(DatasetBase):
    """Static methods of `Dataset` that make datasets of tensors, generators, files and other datasets."""

    @staticmethod
    def from_tensors(tensors: object) -> Dataset:
        """Returns a dataset of one element.

        Args:
            tensors: structure of tensors, arrays, numbers, lists and sparse tensors, of any dtypes and shapes.

        Returns:
            Dataset.
        """
        element = normalized(tensors)
        return op_dataset("TensorDataset", [serialized(element)], Structure.of(element))

    @staticmethod
    def from_tensor_slices(tensors: object) -> Dataset:
        """Returns a dataset of the slices of tensors along their first dimension.

        Args:
            tensors: structure of tensors, arrays, lists and sparse tensors, of any dtypes and of shapes [n, ...].

        Returns:
            Dataset of as many elements as the first dimension has rows.

        Raises:
            ValueError: if a component is a scalar, or first dimensions differ.

        Example:
            >>> dataset = tf.data.Dataset.from_tensor_slices(([1, 2, 3], ["a", "b", "c"])).repeat().batch(2)
            >>> numbers, letters = dataset.make_one_shot_iterator().get_next()
            >>> print(sess.run([numbers, letters]))
            [array([1, 2], dtype=int32), array([b'a', b'b'], dtype=object)]
        """
        batch = normalized(tensors)
        flat = nest.flatten(batch)
        for tensor in flat:
            if tensor.get_shape().ndims == 0:
                raise ValueError(f"from_tensor_slices takes rows of tensors, but a component is a scalar: {tensor}")
        first = flat[0].get_shape()[0]
        for tensor in flat[1:]:
            first.assert_is_compatible_with(tensor.get_shape()[0])
        whole = Structure.of(batch)
        rows = whole._replace(shapes=nest.map_structure(lambda s: s[1:], whole.shapes))
        return op_dataset("TensorSliceDataset", [nest.flatten(many_serialized(batch))], rows)

    @staticmethod
    def from_sparse_tensor_slices(sparse_tensor: TensorLike) -> Dataset:
        """Returns a dataset of the rows of a SparseTensor, each as a tuple (indices, values, dense_shape).

        Args:
            sparse_tensor: SparseTensor of any dtype, of rank 1 or more, its indices in order.

        Returns:
            Dataset of tuples: int64 [n, rank - 1], values [n], int64 [rank - 1].

        Raises:
            TypeError: if `sparse_tensor` is not a SparseTensor.
        """
        if not isinstance(sparse_tensor, SparseTensor):
            raise TypeError("`sparse_tensor` must be a `tf.SparseTensor` object.")
        indices, values, dense_shape = sparse_tensor.indices, sparse_tensor.values, sparse_tensor.dense_shape
        rank = (indices.get_shape()[1] - 1).merge_with(dense_shape.get_shape()[0] - 1)
        structure = Structure(
            (dtypes.int64, values.dtype, dtypes.int64),
            (TensorShape([None, rank]), TensorShape([None]), TensorShape([rank])),
            (Tensor, Tensor, Tensor),
        )
        return op_dataset("SparseTensorSliceDataset", [indices, values, dense_shape], structure, described=False)

    @staticmethod
    def from_generator(
        generator: Callable[..., Any],
        output_types: NestedDTypes,
        output_shapes: NestedShapes | None = None,
        args: ListLike | None = None,
    ) -> Dataset:
        """Returns a dataset of the elements that a Python generator yields.

        Args:
            generator: called without arguments (with those of `args`) for each pass; gives an iterable of elements.
            output_types: structure of dtypes.
            output_shapes: structure of shapes; by default nothing is known of them.
            args: tuple of tensors, of any dtype and shape, whose values `generator` is called with.

        Returns:
            Dataset.

        Raises:
            TypeError: if `generator` is not callable; or, when run, as InvalidArgumentError, if it yields an object
                that is not iterable.

        Example:
            >>> def squares():
            ...     for i in range(3):
            ...         yield i, [i * i]
            >>> dataset = tf.data.Dataset.from_generator(squares, (tf.int32, tf.float32), ([], [1]))
            >>> element = dataset.batch(3).make_one_shot_iterator().get_next()
            >>> print(sess.run(element))
            (array([0, 1, 2], dtype=int32), array([[0.],
                   [1.],
                   [4.]], dtype=float32))
        """
        if not callable(generator):
            raise TypeError("`generator` must be callable.")
        structure = Structure.declared(output_types, output_shapes)
        arguments = tuple(convert_to_tensor(a, name=f"args_{i}") for i, a in enumerate(args or ()))
        functions = GeneratorFunctions(generator, structure, arguments)
        return DatasetSources.from_tensors(0).flat_map(lambda dummy: _generated(dummy, functions))

    @staticmethod
    def range(*args: Any) -> Dataset:
        """Returns a dataset of int64 numbers: `range(stop)`, `range(start, stop)` or `range(start, stop, step)`.

        Args:
            *args: int64 scalars: the end, which is excluded; or start and end; or start, end and step.

        Returns:
            Dataset of int64 scalars.

        Raises:
            ValueError: if there are no arguments, or more than three.
        """
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Invalid arguments to RangeDataset: {args}")
        start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
        inputs = [int64(start, "start"), int64(stop, "stop"), int64(step, "step")]
        return op_dataset("RangeDataset", inputs, Structure(dtypes.int64, TensorShape([]), Tensor))

    @staticmethod
    def list_files(file_pattern: Any, shuffle: BoolLike | None = None, seed: IntLike | None = None) -> Dataset:
        """Returns a dataset of the names of the files that match a pattern.

        Args:
            file_pattern: string, list of them, or Tensor of string, of shape [] or [n].
            shuffle: bool. If True, the names come in random order; by default they do.
            seed: int, of the order.

        Returns:
            Dataset of string scalars.
        """
        with name_scope("list_files"):
            patterns = convert_to_tensor(file_pattern, dtype=dtypes.string, name="file_pattern")
            # TF 1.15 refuses a pattern without files; in TF 1.8, whose tests say so, there are no elements.
            names = matching_files(patterns)
            dataset = DatasetSources.from_tensor_slices(names)
            if shuffle or shuffle is None:
                count = maximum(shape_of(names, out_type=dtypes.int64)[0], 1)
                dataset = dataset.shuffle(count, seed=seed)
            return dataset

    @staticmethod
    def zip(datasets: object) -> Dataset:
        """Returns a dataset that combines the elements of several datasets, nested as they are, until the shortest
        ends.

        Args:
            datasets: tuple or dict of datasets, nested at will.

        Returns:
            Dataset of elements nested as `datasets` is.

        Raises:
            TypeError: if an element of `datasets` is not a dataset.
        """
        flat = nest.flatten(datasets)
        for dataset in flat:
            if isinstance(dataset, list):
                raise TypeError(
                    "The argument to `Dataset.zip()` must be a nested structure of `Dataset` objects. Nested "
                    "structures do not support Python lists; please use a tuple instead."
                )
            if not isinstance(dataset, DatasetBase):
                raise TypeError("The argument to `Dataset.zip()` must be a nested structure of `Dataset` objects.")
        structure = Structure(
            nest.pack_sequence_as(datasets, [d.output_types for d in flat]),
            nest.pack_sequence_as(datasets, [d.output_shapes for d in flat]),
            nest.pack_sequence_as(datasets, [d.output_classes for d in flat]),
        )
        return op_dataset("ZipDataset", [flat], structure)


def _generated(dummy: Tensor, generator: GeneratorFunctions) -> Dataset:
    """Returns a dataset of the elements of a generator's new iteration."""
    begin = ElementFunction(generator.start, [Structure.of(dummy)], "tf_init_func")
    following = ElementFunction(generator.next, [begin.structure], "tf_next_func")
    end = ElementFunction(generator.finish, [begin.structure], "tf_finalize_func")
    functions = {"init_func": begin, "next_func": following, "finalize_func": end}
    inputs = [[dummy, *begin.captured_inputs], following, end]
    return op_dataset("GeneratorDataset", inputs, following.structure, functions, kind="_GeneratorDataset")
