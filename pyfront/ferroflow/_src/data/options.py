"""Options of datasets: the classes, their defaults, and how the options of several datasets are merged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from ferroflow._src.base.docstrings import document


def _none() -> None:
    return None


class Option:
    """A property of an options class, whose type is checked when it is set.

    Args:
        kind: type of its values.
        doc: str, the sentence that describes it.
        default: callable that makes the value which is read before one is set.
    """

    def __init__(self, kind: type, doc: str, default: Callable[[], Any] = _none) -> None:
        self._kind = kind
        self._default = default
        document(self, doc)

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, options: Any, owner: type | None = None) -> Any:
        if options is None:
            return self
        if self._name not in options._options:
            options._options[self._name] = self._default()
        return options._options[self._name]

    def __set__(self, options: Any, value: Any) -> None:
        if not isinstance(value, self._kind):
            raise TypeError(
                f'Property "{self._name}" must be of type {self._kind}, got: {value!r} (type: {type(value)!r})'
            )
        options._options[self._name] = value


class _Aggregator(Option):
    """The option for an object that collects statistics, which does not exist here."""

    def __set__(self, options: Any, value: Any) -> NoReturn:
        raise NotImplementedError(
            "Statistics of input pipelines are not collected. Remove the aggregator, and trace the steps with "
            "tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)."
        )


class OptionsBase:
    """Base of the options classes: equality, and the check of names."""

    _options: dict[str, Any]

    def __init__(self) -> None:
        object.__setattr__(self, "_options", {})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        names = self._options.keys() | other._options.keys()
        return all(getattr(self, name) == getattr(other, name) for name in names)

    __hash__ = None  # type: ignore[assignment]  # as in TensorFlow: options can change

    def __setattr__(self, name: str, value: Any) -> None:
        if not hasattr(self, name):
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        object.__setattr__(self, name, value)


def merge_options(*options_list: Any) -> Any:
    """Merges options of one class.

    Args:
        *options_list: options objects of one class.

    Returns:
        Options of that class, with the values that some of `options_list` sets; inner options are merged alike.

    Raises:
        TypeError: if the classes differ, or are not classes of options.
        ValueError: if there are no options, or two of them set an option to different values.
    """
    if not options_list:
        raise ValueError("At least one options should be provided")
    kind = type(options_list[0])
    for options in options_list:
        if not isinstance(options, kind):
            raise TypeError(f"Incompatible options type: {type(options)!r} vs {kind!r}")
    if not issubclass(kind, OptionsBase):
        raise TypeError("The inputs should inherit from `OptionsBase`")
    unset, merged = kind(), kind()
    for options in options_list:
        for name in options._options:
            before, new, default = (getattr(holder, name) for holder in (merged, options, unset))
            if new == default or before == new:
                continue
            if before == default:
                setattr(merged, name, new)
            elif isinstance(before, OptionsBase):
                setattr(merged, name, merge_options(before, new))
            else:
                raise ValueError(f"Cannot merge incompatible values ({before!r} and {new!r}) of option: {name}")
    return merged


class MapVectorizationOptions(OptionsBase):
    """Options for calling a mapped function with whole batches; they change neither values nor their order."""

    enabled = Option(bool, "If True, functions are called with batches; None stands for False.")
    use_choose_fastest = Option(bool, "If True, the faster way is chosen at run time; None stands for False.")

    def _static_optimizations(self) -> list[str]:
        return ["map_vectorization"] if self.enabled else []

    def _static_optimization_configs(self) -> list[str]:
        return [f"map_vectorization:use_choose_fastest:{'true' if self.use_choose_fastest else 'false'}"]


_BY_REQUEST = (
    *("filter_fusion", "filter_with_random_uniform_fusion", "hoist_random_uniform", "map_and_filter_fusion"),
    *("map_fusion", "map_parallelization", "parallel_batch"),
)
_BY_DEFAULT = ("map_and_batch_fusion", "noop_elimination", "shuffle_and_repeat_fusion")


class OptimizationOptions(OptionsBase):
    """Options for rewrites of pipelines; they change neither values nor their order.

    The names of rewrites stand in the graph, as in TensorFlow. This engine plans pipelines by itself, and applies
    no rewrite by these names.
    """

    apply_default_optimizations = Option(bool, "If False, only rewrites that are set to True are named.")
    autotune = Option(bool, "If False, the graph has no ModelDataset; None stands for True.")
    autotune_algorithm = Option(int, "Number of the tuning algorithm; None stands for 0, hill climbing.")
    autotune_buffers = Option(bool, "If True, buffer sizes are tuned; None stands for False.")
    autotune_cpu_budget = Option(int, "Number of CPUs to tune for; None stands for all.")
    filter_fusion = Option(bool, "If True, filters are fused; None stands for False.")
    filter_with_random_uniform_fusion = Option(
        bool, "If True, random filters become a sampling dataset; None stands for False."
    )
    hoist_random_uniform = Option(bool, "If True, random numbers are moved out of maps; None stands for False.")
    map_and_batch_fusion = Option(bool, "If True, maps and batches are fused; None stands for True.")
    map_and_filter_fusion = Option(bool, "If True, maps and filters are fused; None stands for False.")
    map_fusion = Option(bool, "If True, maps are fused; None stands for False.")
    map_parallelization = Option(bool, "If True, stateless maps run in parallel; None stands for False.")
    map_vectorization = Option(
        MapVectorizationOptions, "MapVectorizationOptions, the options of batched maps.", MapVectorizationOptions
    )
    noop_elimination = Option(bool, "If True, transformations without effect are dropped; None stands for True.")
    parallel_batch = Option(bool, "If True, elements are copied into batches in parallel; None stands for False.")
    shuffle_and_repeat_fusion = Option(bool, "If True, shuffles and repeats are fused; None stands for True.")

    def _static_optimizations(self) -> list[str]:
        names = {name for name in _BY_REQUEST + _BY_DEFAULT if getattr(self, name)}
        if self.apply_default_optimizations is not False:
            names |= {name for name in _BY_DEFAULT if getattr(self, name) is not False}
        names.update(self.map_vectorization._static_optimizations())
        if self.autotune is not False and self.autotune_buffers:
            names.add("inject_prefetch")
        return sorted(names)

    def _static_optimization_configs(self) -> list[str]:
        configs: list[str] = self.map_vectorization._static_optimization_configs()
        return configs


class ThreadingOptions(OptionsBase):
    """Options for the threads of pipelines: stored, while the session's threads run every pipeline."""

    max_intra_op_parallelism = Option(int, "Number of threads that one operation uses at most.")
    private_threadpool_size = Option(int, "Number of threads of the pipeline.")


class StatsOptions(OptionsBase):
    """Options for statistics of pipelines; setting an aggregator raises NotImplementedError."""

    aggregator = _Aggregator(object, "The object that collects statistics: always None.")
    prefix = Option(str, "str, the prefix of all statistics.", str)
    counter_prefix = Option(str, "str, the prefix of counters.", str)
    latency_all_edges = Option(bool, "If True, latencies are measured on all edges; None stands for False.")


def _true() -> bool:
    return True


class DistributeOptions(OptionsBase):
    """Options for pipelines of several workers."""

    auto_shard = Option(bool, "If True, a strategy may shard the dataset between workers.", _true)
    num_devices = Option(int, "Number of devices that read the pipeline.")
    _make_stateless = Option(bool, "If True, stateful transformations are rewritten.")


class Options(OptionsBase):
    """Options of a dataset, for `Dataset.with_options`.

    Example:
        >>> options = tf.data.Options()
        >>> options.experimental_optimization.autotune = False
        >>> dataset = tf.data.Dataset.range(3).with_options(options)
        >>> print(dataset.options().experimental_optimization.autotune)
        False
    """

    experimental_deterministic = Option(bool, "If False, elements may come in any order; here the order is kept.")
    experimental_distribute = Option(
        DistributeOptions, "DistributeOptions, the options for several workers.", DistributeOptions
    )
    experimental_optimization = Option(
        OptimizationOptions, "OptimizationOptions, the options for rewrites.", OptimizationOptions
    )
    experimental_slack = Option(bool, "If True, the last prefetch leaves time to others; None stands for False.")
    experimental_stats = Option(StatsOptions, "StatsOptions, the options for statistics.", StatsOptions)
    experimental_threading = Option(ThreadingOptions, "ThreadingOptions, the options for threads.", ThreadingOptions)
    experimental_stateful_whitelist = Option(list, "list of the stateful operations that may be serialized.")

    def _static_optimizations(self) -> list[str]:
        names: list[str] = self.experimental_optimization._static_optimizations()
        if self.experimental_deterministic is False:
            names.append("make_sloppy")
        if self.experimental_stats.latency_all_edges:
            names.append("latency_all_edges")
        if self.experimental_slack:
            names.append("slack")
        if self.experimental_distribute._make_stateless:
            names.append("make_stateless")
        return names

    def _static_optimization_configs(self) -> list[str]:
        configs: list[str] = self.experimental_optimization._static_optimization_configs()
        if self.experimental_slack:
            devices = self.experimental_distribute.num_devices
            configs.append(f"slack:slack_period:{1 if devices is None else devices}")
        return configs

    def merge(self, options: Any) -> Any:
        """Merges these options with others.

        Args:
            options: Options.

        Returns:
            Options, with the values that either of them sets.

        Raises:
            ValueError: if both set an option to different values.
        """
        return merge_options(self, options)


def named_rewrites(options: Options) -> list[str]:
    """Returns the names of the rewrites that options require, in TensorFlow's order."""
    return options._static_optimizations()


def rewrite_settings(options: Options) -> list[str]:
    """Returns the settings of the rewrites, as the operation OptimizeDataset takes them."""
    return options._static_optimization_configs()
