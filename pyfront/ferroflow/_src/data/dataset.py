"""`Dataset`: elements, and the transformations that make one dataset of another."""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import (
    BoolLike,
    IntLike,
    IntsLike,
    ListLike,
    NestedDTypes,
    NestedShapes,
    ShapeTensorLike,
    TensorLike,
)
from ferroflow._src.data import element_nest as nest
from ferroflow._src.data.cache_progress import watch_cache
from ferroflow._src.data.element_function import ElementFunction, called
from ferroflow._src.data.generators import GeneratorFunctions
from ferroflow._src.data.iterator import Iterator, iterator_resource
from ferroflow._src.data.padding import default_padding, padded_batch_shape, padding_value, shape_tensor
from ferroflow._src.data.seeds import seed_tensors
from ferroflow._src.data.state_functions import only_state, state_and_output, state_function
from ferroflow._src.data.structure import (
    NestedDataset,
    Structure,
    many_serialized,
    normalized,
    register_dataset,
    serialized,
)
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import colocate_with, get_default_graph, name_scope
from ferroflow._src.framework.function import Function, graphs_around
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.shaping import shape as shape_of
from ferroflow._src.ops.file.whole import matching_files
from ferroflow._src.ops.math.arithmetic import maximum

_LAST = int(np.iinfo(np.int64).max)


def _int64(value: Any, name: str) -> Tensor:
    return convert_to_tensor(value, dtype=dtypes.int64, name=name)


class Dataset(abc.ABC):
    """Sequence of elements with one structure: tensors and sparse tensors, nested in tuples, namedtuples and dicts."""

    @abc.abstractmethod
    def _as_variant_tensor(self) -> Tensor:
        """Returns the dataset as a Tensor of variant, of shape [], in the default graph."""

    @property
    @abc.abstractmethod
    def output_classes(self) -> Any:
        """The classes of the components, Tensor or SparseTensor, nested as elements are."""

    @property
    @abc.abstractmethod
    def output_shapes(self) -> Any:
        """The shapes of the components, nested as elements are."""

    @property
    @abc.abstractmethod
    def output_types(self) -> Any:
        """The dtypes of the components, nested as elements are."""

    def __repr__(self) -> str:
        shapes = str(nest.map_structure(str, self.output_shapes)).replace("'", "")
        types = str(nest.map_structure(repr, self.output_types)).replace("'", "")
        return f"<{self._kind()} shapes: {shapes}, types: {types}>"

    def _kind(self) -> str:
        return type(self).__name__

    def _check_graph(self) -> None:
        """Raises ValueError if the dataset was made in another graph than the default one."""
        made_in = self._as_variant_tensor().graph
        graph = get_default_graph()
        if made_in is not graph and made_in not in graphs_around(graph):
            raise ValueError(
                f"The graph {graph} of the iterator is different from the graph {made_in} the dataset: "
                f"{self._as_variant_tensor()} was created in. If you are using the Estimator API, make sure that no "
                "part of the dataset returned by the `input_fn` function is defined outside the `input_fn` function. "
                "Otherwise, make sure that the dataset is created in the same graph as the iterator."
            )

    def __iter__(self) -> NoReturn:
        raise RuntimeError("dataset.__iter__() is only supported when eager execution is enabled.")

    def make_initializable_iterator(self, shared_name: str | None = None) -> Iterator:
        """Returns an iterator that its `initializer` starts, with the current values of placeholders and
        variables.

        Args:
            shared_name: sessions on the same resources share an iterator of this name.

        Returns:
            Iterator.

        Raises:
            ValueError: if the dataset was made in another graph.
        """
        self._check_graph()
        structure = structure_of(self)
        dataset = _tuned(self)
        resource = iterator_resource(structure, shared_name)
        with colocate_with(resource):
            initializer = apply_op("MakeIterator", [dataset._as_variant_tensor(), resource])
        return Iterator(resource, initializer, *structure)

    def make_one_shot_iterator(self) -> Iterator:
        """Returns an iterator that starts by itself, once.

        Returns:
            Iterator.

        Raises:
            ValueError: if the dataset depends on variables, tables or placeholders, or was made in another graph.
        """
        self._check_graph()
        graph = get_default_graph()
        try:
            factory = Function.traced("_make_dataset", lambda: [self._as_variant_tensor()], [], [], graph, True)
        except ValueError as failure:
            if "Cannot capture a stateful node" not in str(failure):
                raise
            raise ValueError(
                "Failed to create a one-shot iterator for a dataset. `Dataset.make_one_shot_iterator()` does not "
                "support datasets that capture stateful objects, such as a `Variable` or `LookupTable`. In these "
                f"cases, use `Dataset.make_initializable_iterator()`. (Original error: {failure})"
            ) from None
        structure = structure_of(self)
        resource = tensor_op("OneShotIterator", [], {"dataset_factory": factory.name, **structure.attrs()})
        return Iterator(resource, None, *structure)

    @staticmethod
    def from_tensors(tensors: object) -> Dataset:
        """Returns a dataset of one element.

        Args:
            tensors: structure of tensors, arrays, numbers, lists and sparse tensors, of any dtypes and shapes.

        Returns:
            Dataset.
        """
        element = normalized(tensors)
        return OpDataset("TensorDataset", [serialized(element)], Structure.of(element))

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
        first = flat[0].get_shape()[0]
        for tensor in flat[1:]:
            first.assert_is_compatible_with(tensor.get_shape()[0])
        whole = Structure.of(batch)
        rows = whole._replace(shapes=nest.map_structure(lambda s: s[1:], whole.shapes))
        return OpDataset("TensorSliceDataset", [nest.flatten(many_serialized(batch))], rows)

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
        return OpDataset("SparseTensorSliceDataset", [indices, values, dense_shape], structure, described=False)

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
        return Dataset.from_tensors(0).flat_map(lambda dummy: _generated(dummy, functions))

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
        inputs = [_int64(start, "start"), _int64(stop, "stop"), _int64(step, "step")]
        return OpDataset("RangeDataset", inputs, Structure(dtypes.int64, TensorShape([]), Tensor))

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
            dataset = Dataset.from_tensor_slices(names)
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
            if not isinstance(dataset, Dataset):
                raise TypeError("The argument to `Dataset.zip()` must be a nested structure of `Dataset` objects.")
        structure = Structure(
            nest.pack_sequence_as(datasets, [d.output_types for d in flat]),
            nest.pack_sequence_as(datasets, [d.output_shapes for d in flat]),
            nest.pack_sequence_as(datasets, [d.output_classes for d in flat]),
        )
        return OpDataset("ZipDataset", [flat], structure)

    def concatenate(self, dataset: Dataset) -> Dataset:
        """Returns the elements of this dataset and then those of another.

        Args:
            dataset: Dataset of elements of the same structure, types and classes.

        Returns:
            Dataset; its shapes keep the dimensions that both have in common.

        Raises:
            TypeError: if the types or classes of elements differ.
            ValueError: if elements have different nesting.
        """
        nest.assert_same_structure(self.output_types, dataset.output_types)
        for a, b in zip(nest.flatten(self.output_types), nest.flatten(dataset.output_types), strict=True):
            if a != b:
                raise TypeError(
                    f"Two datasets to concatenate have different types {self.output_types} and {dataset.output_types}"
                )
        for a, b in zip(nest.flatten(self.output_classes), nest.flatten(dataset.output_classes), strict=True):
            if a != b:
                raise TypeError(
                    f"Two datasets to concatenate have different classes {self.output_classes} and "
                    f"{dataset.output_classes}"
                )
        pairs = zip(nest.flatten(self.output_shapes), nest.flatten(dataset.output_shapes), strict=True)
        shapes = nest.pack_sequence_as(self.output_shapes, [a.most_specific_compatible_shape(b) for a, b in pairs])
        structure = structure_of(self)._replace(shapes=shapes)
        return OpDataset("ConcatenateDataset", [self, dataset], structure)

    def repeat(self, count: TensorLike | None = None) -> Dataset:
        """Returns this dataset several times over.

        Args:
            count: int64 scalar, the number of repetitions; None and -1 repeat without end.

        Returns:
            Dataset.
        """
        return self._like("RepeatDataset", _int64(-1 if count is None else count, "count"))

    def take(self, count: TensorLike) -> Dataset:
        """Returns the first elements.

        Args:
            count: int64 scalar, how many; all for -1.

        Returns:
            Dataset.
        """
        return self._like("TakeDataset", _int64(count, "count"))

    def skip(self, count: TensorLike) -> Dataset:
        """Returns all but the first elements.

        Args:
            count: int64 scalar, how many are left out; all for -1.

        Returns:
            Dataset.
        """
        return self._like("SkipDataset", _int64(count, "count"))

    def shard(self, num_shards: TensorLike, index: TensorLike) -> Dataset:
        """Returns every `num_shards`-th element, from element `index` on.

        Args:
            num_shards: int64 scalar, number of parts.
            index: int64 scalar, number of this part.

        Returns:
            Dataset.

        Raises:
            ValueError: if `num_shards` is below 1, or `index` not below it.
        """
        count, number = _int64(num_shards, "num_shards"), _int64(index, "index")
        known_count, known_number = constant_value(count), constant_value(number)
        if known_count is not None and known_count < 1:
            raise ValueError(f"num_shards must be >= 1; got: {known_count}")
        if known_number is not None and known_number < 0:
            raise ValueError(f"index must be >= 0; got: {known_number}")
        if known_count is not None and known_number is not None and known_number >= known_count:
            raise ValueError(f"index must be <= num_shards; {known_number} is not < {known_count}")
        return self._like("ShardDataset", count, number)

    def enumerate(self, start: TensorLike = 0) -> Dataset:
        """Returns pairs of a number and an element.

        Args:
            start: int64 scalar, the first number.

        Returns:
            Dataset of pairs of an int64 scalar and an element.
        """
        return self._enumerate(start)

    def _enumerate(self, start: Any = 0) -> Dataset:
        return Dataset.zip((Dataset.range(start, _LAST), self))

    def shuffle(
        self, buffer_size: TensorLike, seed: IntLike | None = None, reshuffle_each_iteration: BoolLike | None = None
    ) -> Dataset:
        """Returns the elements in random order, each drawn from the `buffer_size` that come next.

        Args:
            buffer_size: int64 scalar, how many elements each is drawn from.
            seed: int or int64 scalar; with the graph's seed it decides the order.
            reshuffle_each_iteration: If True, each pass has an order of its own; by default it has.

        Returns:
            Dataset.
        """
        reshuffles = True if reshuffle_each_iteration is None else bool(reshuffle_each_iteration)
        inputs = [_int64(buffer_size, "buffer_size"), *seed_tensors(seed)]
        return self._like("ShuffleDataset", *inputs, attrs={"reshuffle_each_iteration": reshuffles})

    def cache(self, filename: Any = "") -> Dataset:
        """Returns this dataset with a cache, filled in the first whole pass.

        Args:
            filename: string, the prefix of the files with the elements; in memory for "". A file that takes more than
                a second to write is shown on the terminal.

        Returns:
            Dataset.
        """
        name = convert_to_tensor(filename, dtype=dtypes.string, name="filename")
        if isinstance(filename, (str, bytes)) and filename:
            watch_cache(filename, name.graph)
        return self._like("CacheDataset", name)

    def prefetch(self, buffer_size: TensorLike) -> Dataset:
        """Returns this dataset, read ahead by a thread.

        Args:
            buffer_size: int64 scalar, how many elements are read ahead at most; None and -1 choose the number
                automatically.

        Returns:
            Dataset.
        """
        return self._like("PrefetchDataset", _int64(-1 if buffer_size is None else buffer_size, "buffer_size"))

    def batch(self, batch_size: TensorLike, drop_remainder: BoolLike = False) -> Dataset:
        """Returns batches of elements of one shape.

        Args:
            batch_size: int64 scalar, elements of a batch.
            drop_remainder: If True, a last batch that is smaller is left out.

        Returns:
            Dataset of elements with one more dimension, the first.

        Raises:
            TypeError: if elements hold datasets.
        """
        size = _int64(batch_size, "batch_size")
        structure = structure_of(self)
        if structure.has_datasets():
            raise TypeError("Batching of nested datasets is not supported: use `flat_map` to batch their elements.")
        shapes = nest.map_structure(_batch_shape(size, drop_remainder), structure.shapes)
        structure = structure._replace(shapes=shapes)
        drop = convert_to_tensor(drop_remainder, dtype=dtypes.bool, name="drop_remainder")
        return OpDataset("BatchDatasetV2", [self, size, drop], structure, kind="BatchDataset")

    def window(
        self,
        size: ShapeTensorLike,
        shift: TensorLike | None = None,
        stride: IntsLike = 1,
        drop_remainder: BoolLike = False,
    ) -> Dataset:
        """Returns datasets of elements that follow each other; where elements are nested, as many datasets nested
        alike.

        Args:
            size: int64 scalar, elements of a window.
            shift: int64 scalar, elements from the beginning of one window to that of the next; by default `size`.
            stride: int64 scalar, elements from one element of a window to the next.
            drop_remainder: If True, last windows that are smaller are left out.

        Returns:
            Dataset of Datasets.

        Raises:
            tf.errors.InvalidArgumentError: when the step runs, if one of the numbers is not positive.
        """
        structure = structure_of(self)
        inputs = [self, _int64(size, "size"), _int64(size if shift is None else shift, "shift")]
        inputs += [
            _int64(stride, "stride"),
            convert_to_tensor(drop_remainder, dtype=dtypes.bool, name="drop_remainder"),
        ]
        leaves = zip(*(nest.flatten(part) for part in structure), strict=True)
        nested = [NestedDataset(Structure(*leaf)) for leaf in leaves]
        windows = Structure(
            nest.pack_sequence_as(structure.types, [dtypes.variant] * len(nested)),
            nest.pack_sequence_as(structure.types, [TensorShape([])] * len(nested)),
            nest.pack_sequence_as(structure.types, nested),
        )
        return OpDataset("WindowDataset", inputs, windows)

    def padded_batch(
        self,
        batch_size: TensorLike,
        padded_shapes: NestedShapes,
        padding_values: object = None,
        drop_remainder: BoolLike = False,
    ) -> Dataset:
        """Returns batches of elements that are filled up to one shape.

        Args:
            batch_size: int64 scalar, elements of a batch.
            padded_shapes: structure of shapes; a dimension of None (-1) is as large as the batch's largest element.
            padding_values: structure of scalars to fill up with; by default 0, "" and False.
            drop_remainder: If True, a last batch that is smaller is left out.

        Returns:
            Dataset of elements with one more dimension, the first.

        Raises:
            TypeError: if a component is sparse, or a padding value has another dtype than its component.
            ValueError: if a padding value is not a scalar.
        """
        structure = structure_of(self)
        if structure.has_sparse():
            raise TypeError("Batching of padded sparse tensors is not currently supported")
        size = _int64(batch_size, "batch_size")
        if padding_values is None:
            padding_values = default_padding(structure.types)
        shapes = nest.map_structure_up_to(structure.shapes, shape_tensor, padded_shapes)
        values = nest.map_structure_up_to(structure.shapes, padding_value, padding_values, structure.types)
        first = _batch_dimension(size, drop_remainder)
        batched = structure._replace(shapes=nest.map_structure(lambda s: padded_batch_shape(first, s), shapes))
        inputs = [self, size, nest.flatten(shapes), nest.flatten(values)]
        inputs.append(convert_to_tensor(drop_remainder, dtype=dtypes.bool, name="drop_remainder"))
        return OpDataset("PaddedBatchDatasetV2", inputs, batched, kind="PaddedBatchDataset")

    def map(self, map_func: Callable[..., Any], num_parallel_calls: TensorLike | None = None) -> Dataset:
        """Returns the results of a function for the elements.

        Args:
            map_func: called once, with tensors that stand for an element (the parts of a tuple as arguments of their
                own); returns a structure of tensors, arrays and sparse tensors.
            num_parallel_calls: int32 scalar, how many elements are computed at a time; the order is that of the
                elements.

        Returns:
            Dataset of the results of `map_func`.
        """
        f = ElementFunction(lambda e: called(map_func, e), [structure_of(self)], "tf_map_func")
        if num_parallel_calls is None:
            return OpDataset("MapDataset", [self, f], f.structure, {"f": f})
        calls = convert_to_tensor(num_parallel_calls, dtype=dtypes.int32, name="num_parallel_calls")
        return OpDataset("ParallelMapDataset", [self, f, calls], f.structure, {"f": f})

    def flat_map(self, map_func: Callable[..., Any]) -> Dataset:
        """Returns the elements of the datasets that a function makes of the elements, one dataset after the other.

        Args:
            map_func: called as that of `map`; returns a Dataset.

        Returns:
            Dataset of the elements of these datasets.

        Raises:
            TypeError: if `map_func` gives no Dataset.
        """
        f = dataset_function(self, map_func)
        return OpDataset("FlatMapDataset", [self, f], f.structure, {"f": f})

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: TensorLike,
        block_length: TensorLike = 1,
        num_parallel_calls: TensorLike | None = None,
    ) -> Dataset:
        """Maps elements to datasets, and returns the elements of these interleaved.

        Args:
            map_func: as for `flat_map`.
            cycle_length: int64 scalar, how many datasets take turns.
            block_length: int64 scalar, elements in a turn.
            num_parallel_calls: int64 scalar; the datasets are read ahead if it is not None. The order stays the same.

        Returns:
            Dataset of the elements of these datasets.

        Raises:
            TypeError: if `map_func` gives no Dataset.
        """
        f = dataset_function(self, map_func)
        inputs = [self, f, _int64(cycle_length, "cycle_length"), _int64(block_length, "block_length")]
        if num_parallel_calls is None:
            return OpDataset("InterleaveDataset", inputs, f.structure, {"f": f})
        inputs.append(_int64(num_parallel_calls, "num_parallel_calls"))
        return OpDataset("ParallelInterleaveDatasetV2", inputs, f.structure, {"f": f})

    def filter(self, predicate: Callable[..., Any]) -> Dataset:
        """Returns the elements for which a function is true.

        Args:
            predicate: called as `map_func` of `map`; returns a bool scalar.

        Returns:
            Dataset.

        Raises:
            ValueError: if `predicate` does not return a bool scalar.
        """
        f = ElementFunction(lambda e: called(predicate, e), [structure_of(self)], "tf_predicate", _predicate_result)
        return OpDataset("FilterDataset", [self, f], structure_of(self), {"predicate": f})

    def apply(self, transformation_func: Callable[[Dataset], Dataset]) -> Dataset:
        """Returns the dataset that a transformation makes of this one.

        Args:
            transformation_func: callable of a Dataset that returns a Dataset.

        Returns:
            Dataset, `transformation_func(self)`.

        Raises:
            TypeError: if it gives no Dataset.
        """
        dataset = transformation_func(self)
        if not isinstance(dataset, Dataset):
            raise TypeError("`transformation_func` must return a Dataset.")
        return dataset

    def reduce(self, initial_state: object, reduce_func: Callable[..., Any]) -> Any:
        """Returns the last state of a function that takes a state and an element to the next state.

        Args:
            initial_state: structure of tensors, of any dtypes and shapes.
            reduce_func: called with a state and an element; returns a state of the same structure.

        Returns:
            Structure of Tensors of the dtypes and shapes of the state; a run passes over the whole dataset.

        Raises:
            TypeError: if the types of states differ.
        """
        with name_scope("initial_state"):
            state = normalized(initial_state)
        f, states = state_function(structure_of(self), state, reduce_func, "reduce_func", only_state)
        inputs = [self._as_variant_tensor(), nest.flatten(state), f.captured_inputs]
        op = apply_op("ReduceDataset", inputs, {"f": f.name, **states.attrs()})
        return states.element(op.outputs)

    def _like(self, op_type: str, *inputs: Any, attrs: dict[str, Any] | None = None) -> Dataset:
        """Returns a dataset of elements as this one's."""
        return OpDataset(op_type, [self, *inputs], structure_of(self), attrs)


class StructuredDataset(Dataset):
    """A dataset that keeps the structure of its elements."""

    _structure: Structure

    @property
    def output_classes(self) -> Any:
        return self._structure.classes

    @property
    def output_shapes(self) -> Any:
        return self._structure.shapes

    @property
    def output_types(self) -> Any:
        return self._structure.types


class OpDataset(StructuredDataset):
    """A dataset that one operation makes.

    Args:
        op_type: the operation.
        inputs: its arguments: tensors, datasets, lists of them; a function stands for what it takes from around.
        structure: of the elements.
        attrs: of the operation; functions by themselves.
        described: If True, the operation gets the structure: True for `output_types` and `output_shapes`.
        kind: the name in its `repr`.
    """

    def __init__(
        self,
        op_type: str,
        inputs: Sequence[Any],
        structure: Structure,
        attrs: dict[str, Any] | None = None,
        described: bool = True,
        kind: str | None = None,
    ) -> None:
        self._structure = structure
        self._shown = kind or op_type
        described_by = {k: v.name if isinstance(v, ElementFunction) else v for k, v in (attrs or {}).items()}
        if described:
            told = structure.attrs()
            if op_type in _TOLD_TYPES_BY_INPUTS:
                del told["output_types"]
            described_by.update(told)
        self._variant: Tensor = tensor_op(op_type, [_argument(i) for i in inputs], described_by)

    def _as_variant_tensor(self) -> Tensor:
        return self._variant

    def _kind(self) -> str:
        return self._shown


class VariantDataset(StructuredDataset):
    """A dataset that a tensor holds."""

    def __init__(self, variant: Tensor, structure: Structure) -> None:
        self._variant = variant
        self._structure = structure

    def _as_variant_tensor(self) -> Tensor:
        return self._variant


register_dataset(Dataset, VariantDataset)

# Optimizations that TensorFlow applies to every pipeline, in the order of its names.
_OPTIMIZATIONS = ["map_and_batch_fusion", "noop_elimination", "shuffle_and_repeat_fusion"]


def _tuned(dataset: Dataset) -> Dataset:
    """Returns the dataset behind the operations by which TensorFlow tunes a pipeline."""
    names = convert_to_tensor(_OPTIMIZATIONS, dtype=dtypes.string, name="optimizations")
    structure = structure_of(dataset)
    optimized = OpDataset("OptimizeDataset", [dataset, names], structure)
    return OpDataset("ModelDataset", [optimized], structure)


# Their types are those of inputs.
_TOLD_TYPES_BY_INPUTS = (
    *("TensorDataset", "TensorSliceDataset", "PaddedBatchDataset", "PaddedBatchDatasetV2"),
    "CSVDataset",
)


def _argument(item: Any) -> Any:
    if isinstance(item, Dataset):
        return item._as_variant_tensor()
    if isinstance(item, ElementFunction):
        return item.captured_inputs
    if isinstance(item, list):
        return [_argument(i) for i in item]
    return item


def structure_of(dataset: Dataset) -> Structure:
    """Returns the structure of a dataset's elements."""
    return Structure(dataset.output_types, dataset.output_shapes, dataset.output_classes)


def _batch_dimension(size: Tensor, drop_remainder: Any) -> Any:
    """Returns the first dimension of batches, as far as it is known."""
    if isinstance(drop_remainder, Tensor):
        drop_remainder = constant_value(drop_remainder)
    known = constant_value(size) if drop_remainder else None
    return None if known is None else int(known)


def _batch_shape(size: Tensor, drop_remainder: Any) -> Callable[[TensorShape], TensorShape]:
    first = TensorShape([_batch_dimension(size, drop_remainder)])
    return first.concatenate


def _predicate_result(result: Any) -> tuple[list[Tensor], None]:
    tensor = convert_to_tensor(result)
    if tensor.dtype != dtypes.bool or not tensor.shape.is_compatible_with(TensorShape([])):
        raise ValueError("`predicate` must return a scalar boolean tensor.")
    return [tensor], None


def dataset_function(dataset: Dataset, map_func: Callable[..., Any]) -> ElementFunction:
    """Returns a function from elements to datasets, whose structure is that of the datasets' elements."""
    return ElementFunction(
        lambda e: called(map_func, e), [structure_of(dataset)], "tf_map_func", _dataset_result("`map_func`")
    )


def _dataset_result(what: str) -> Callable[[Any], tuple[list[Tensor], Structure]]:
    def finish(result: Any) -> tuple[list[Tensor], Structure]:
        if not isinstance(result, Dataset):
            raise TypeError(f"{what} must return a `Dataset` object.")
        return [result._as_variant_tensor()], structure_of(result)

    return finish


def _generated(dummy: Tensor, generator: GeneratorFunctions) -> Dataset:
    """Returns a dataset of the elements of a generator's new iteration."""
    begin = ElementFunction(generator.start, [Structure.of(dummy)], "tf_init_func")
    following = ElementFunction(generator.next, [begin.structure], "tf_next_func")
    end = ElementFunction(generator.finish, [begin.structure], "tf_finalize_func")
    functions = {"init_func": begin, "next_func": following, "finalize_func": end}
    inputs = [[dummy, *begin.captured_inputs], following, end]
    return OpDataset("GeneratorDataset", inputs, following.structure, functions, kind="_GeneratorDataset")


def scanned(dataset: Dataset, initial_state: object, scan_func: Callable[..., Any]) -> Dataset:
    """Returns the outputs of a function that takes a state and an element to the next state and an output.

    Args:
        dataset: the elements.
        initial_state: structure of tensors.
        scan_func: called with a state and an element; returns the next state and an output.

    Raises:
        TypeError: if `scan_func` returns no pair, or a state of other types.
    """
    state = normalized(initial_state)
    f, _ = state_function(structure_of(dataset), state, scan_func, "scan_func", state_and_output)
    return OpDataset("ScanDataset", [dataset, nest.flatten(state), f], f.structure, {"f": f})


def single_element(dataset: Dataset) -> Any:
    """Returns the only element of a dataset, as tensors.

    Raises:
        TypeError: if `dataset` is not a Dataset.
        tf.errors.InvalidArgumentError: when the step runs, if the dataset does not have exactly one element.
    """
    if not isinstance(dataset, Dataset):
        raise TypeError("`dataset` must be a `tf.data.Dataset` object.")
    structure = structure_of(dataset)
    op = apply_op("DatasetToSingleElement", [dataset._as_variant_tensor()], structure.attrs())
    return structure.element(op.outputs)
