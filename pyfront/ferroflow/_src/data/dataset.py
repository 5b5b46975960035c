"""`Dataset`: elements, and the transformations that make one dataset of another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from ferroflow._src.base import dtypes
from ferroflow._src.data import element_nest as nest
from ferroflow._src.data.dataset_base import DatasetBase, register_op_dataset, structure_of
from ferroflow._src.data.dataset_batches import DatasetBatches
from ferroflow._src.data.dataset_functions import DatasetFunctions
from ferroflow._src.data.dataset_order import DatasetOrder
from ferroflow._src.data.dataset_sources import DatasetSources
from ferroflow._src.data.element_function import ElementFunction
from ferroflow._src.data.element_specs import specifications
from ferroflow._src.data.iterator import Iterator, iterator_resource
from ferroflow._src.data.options import Options, named_rewrites, rewrite_settings
from ferroflow._src.data.state_functions import state_and_output, state_function
from ferroflow._src.data.structure import (
    Structure,
    normalized,
    register_dataset,
)
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import colocate_with, get_default_graph
from ferroflow._src.framework.function import Function, graphs_around
from ferroflow._src.framework.handles import Tensor


class Dataset(DatasetSources, DatasetOrder, DatasetBatches, DatasetFunctions):
    """Sequence of elements with one structure: tensors and sparse tensors, nested in tuples, namedtuples and dicts."""

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
            factory = Function.traced("_make_dataset", lambda: [_tuned(self)._as_variant_tensor()], [], [], graph, True)
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

    @property
    def element_spec(self) -> Any:
        """The specifications of the components: TensorSpec, SparseTensorSpec or DatasetSpec, nested as elements are."""
        return specifications(structure_of(self))

    def with_options(self, options: Options) -> Dataset:
        """Returns this dataset with options, which hold for the whole pipeline.

        Args:
            options: Options; merged with those that the pipeline has.

        Returns:
            Dataset.

        Raises:
            ValueError: if the pipeline has another value for an option.
        """
        return _OptionsDataset(self, options)


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
        self._made_of = [i for i in _leaves(inputs) if isinstance(i, Dataset)]
        self._called = [i for i in (attrs or {}).values() if isinstance(i, ElementFunction)]
        described_by = {k: v.name if isinstance(v, ElementFunction) else v for k, v in (attrs or {}).items()}
        if described:
            told = structure.attrs()
            if op_type in _TOLD_TYPES_BY_INPUTS:
                del told["output_types"]
            described_by.update(told)
        self._variant: Tensor = tensor_op(op_type, [_argument(i) for i in inputs], described_by)

    def _as_variant_tensor(self) -> Tensor:
        return self._variant

    def _inputs(self) -> list[Dataset]:
        return self._made_of

    def _functions(self) -> list[ElementFunction]:
        return self._called

    def _kind(self) -> str:
        return self._shown


class _OptionsDataset(StructuredDataset):
    """A dataset with options of its own.

    Args:
        dataset: Dataset.
        options: Options, which are merged with those of `dataset`.
    """

    def __init__(self, dataset: Dataset, options: Options) -> None:
        self._structure = structure_of(dataset)
        self._dataset = dataset
        self._merged: Options = dataset.options().merge(options)

    def _as_variant_tensor(self) -> Tensor:
        return self._dataset._as_variant_tensor()

    def _inputs(self) -> list[Dataset]:
        return [self._dataset]

    def options(self) -> Options:
        return self._merged


class VariantDataset(StructuredDataset):
    """A dataset that a tensor holds."""

    def __init__(self, variant: Tensor, structure: Structure) -> None:
        self._variant = variant
        self._structure = structure

    def _as_variant_tensor(self) -> Tensor:
        return self._variant


register_dataset(Dataset, VariantDataset)
register_op_dataset(OpDataset)


def _tuned(dataset: Dataset) -> Dataset:
    """Returns the dataset behind the operations by which TensorFlow tunes a pipeline, as its options require."""
    options = dataset.options()
    structure = structure_of(dataset)
    names = named_rewrites(options)
    # As in TensorFlow, a pipeline that reads variables by reference is not rewritten.
    if names and not _reads_reference(dataset):
        attrs = {"optimization_configs": rewrite_settings(options)}
        inputs = [dataset, convert_to_tensor(names, dtype=dtypes.string, name="optimizations")]
        dataset = OpDataset("OptimizeDataset", inputs, structure, attrs)
    tuning = options.experimental_optimization
    if tuning.autotune is False:
        return dataset
    choices = {"algorithm": tuning.autotune_algorithm or 0, "cpu_budget": tuning.autotune_cpu_budget or 0}
    return OpDataset("ModelDataset", [dataset], structure, choices)


def _reads_reference(dataset: DatasetBase) -> bool:
    """Returns True if a function of the pipeline depends on a variable by reference."""
    for function in dataset._functions():
        read = [t for op in function.function.graph.captured_variables for t in op.outputs]
        if any(_depends_on_reference(t) for t in [*read, *function.captured_inputs]):
            return True
    return any(_reads_reference(d) for d in dataset._inputs())


def _depends_on_reference(tensor: Tensor) -> bool:
    seen: set[Tensor] = set()
    pending = [tensor]
    while pending:
        following = pending.pop()
        if following.dtype.name.endswith("_ref"):
            return True
        if following not in seen:
            seen.add(following)
            pending.extend(following.op.inputs)
    return False


# Their types are those of inputs.
_TOLD_TYPES_BY_INPUTS = (
    *("TensorDataset", "TensorSliceDataset", "PaddedBatchDataset", "PaddedBatchDatasetV2"),
    "CSVDataset",
)


def _leaves(items: Sequence[Any]) -> list[Any]:
    """Returns the arguments of an operation, those in lists included."""
    return [leaf for item in items for leaf in (_leaves(item) if isinstance(item, list) else [item])]


def _argument(item: Any) -> Any:
    if isinstance(item, Dataset):
        return item._as_variant_tensor()
    if isinstance(item, ElementFunction):
        return item.captured_inputs
    if isinstance(item, list):
        return [_argument(i) for i in item]
    return item


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
    return OpDataset(
        "ScanDataset", [dataset, nest.flatten(state), f], f.structure, {"f": f, "preserve_cardinality": True}
    )


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
