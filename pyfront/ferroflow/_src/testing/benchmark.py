"""`Benchmark`: classes whose methods measure operations."""

from __future__ import annotations

import inspect
import numbers
import re
import statistics
import time
from typing import Any

from ferroflow._src.base import tf_logging

# Every class made from `Benchmark`, in the order of definition.
_classes: list[type[Benchmark]] = []


class Benchmark:
    """Base class of benchmarks: methods whose names begin with `benchmark` are run by `--benchmarks=REGEX`."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        _classes.append(cls)

    @classmethod
    def is_abstract(cls) -> bool:
        """Returns True for the base classes, which have no benchmarks of their own."""
        return cls is Benchmark or cls.__name__ == "TestCase"

    def _get_name(self, overwrite_name: str | None = None) -> str:
        """Returns `Class.method` of the outermost benchmark method that is being called, or `Class.overwrite_name`."""
        if overwrite_name:
            return f"{type(self).__name__}.{overwrite_name}"
        name = type(self).__name__
        frame = inspect.currentframe()
        while frame is not None:
            if isinstance(frame.f_locals.get("self"), Benchmark):
                name = f"{type(frame.f_locals['self']).__name__}.{frame.f_code.co_name}"
            frame = frame.f_back
        return name

    def report_benchmark(
        self,
        iters: int | None = None,
        cpu_time: float | None = None,
        wall_time: float | None = None,
        throughput: float | None = None,
        extras: dict[str, Any] | None = None,
        name: str | None = None,
    ) -> None:
        """Prints a measurement, and logs it.

        Args:
            iters: int, how often it was run.
            cpu_time: float, in seconds.
            wall_time: float, in seconds.
            throughput: float, in megabytes per second.
            extras: dict of more numbers or texts.
            name: str, in place of the method's.

        Raises:
            TypeError: if `extras` is not a dict.
        """
        if extras is not None and not isinstance(extras, dict):
            raise TypeError("extras must be a dict")
        fields = {"iters": iters, "cpu_time": cpu_time, "wall_time": wall_time, "throughput": throughput}
        lines = [f'  name: "{self._get_name(name)}"']
        lines += [f"  {key}: {value}" for key, value in fields.items() if value is not None]
        for key, value in (extras or {}).items():
            shown = f"double_value: {value}" if isinstance(value, numbers.Number) else f'string_value: "{value}"'
            lines.append(f'  extras {{ key: "{key}" value {{ {shown} }} }}')
        print("entry {\n" + "\n".join(lines) + "\n}")
        tf_logging.info("Benchmark [%s] %s", self._get_name(name), fields)

    def run_op_benchmark(
        self,
        sess: Any,
        op_or_tensor: Any,
        feed_dict: Any = None,
        burn_iters: int = 2,
        min_iters: int = 10,
        store_trace: bool = False,
        store_memory_usage: bool = True,
        name: str | None = None,
        extras: dict[str, Any] | None = None,
        mbs: float = 0,
    ) -> dict[str, Any]:
        """Measures steps that run an operation, and reports their median.

        Args:
            sess: Session.
            op_or_tensor: Operation, or Tensor of any dtype and shape.
            feed_dict: dict of values for its placeholders.
            burn_iters: int, steps before the measured ones.
            min_iters: int, measured steps.
            store_trace: accepted; no trace is stored.
            store_memory_usage: accepted; no memory usage is stored.
            name: str, in place of the method's.
            extras: dict of more numbers or texts to report.
            mbs: float, megabytes that a step moves, for the throughput.

        Returns:
            dict of the reported values: `iters`, `wall_time` in seconds, `extras`, `name`, `throughput`.

        Raises:
            TypeError: if `extras` is not a dict.
        """
        del store_trace, store_memory_usage
        for _ in range(burn_iters):
            sess.run(op_or_tensor, feed_dict=feed_dict)
        times = []
        for _ in range(min_iters):
            start = time.time()
            sess.run(op_or_tensor, feed_dict=feed_dict)
            times.append(time.time() - start)
        median = statistics.median(times) if times else -1
        values: dict[str, Any] = {
            "iters": min_iters,
            "wall_time": median,
            "extras": {} if extras is None else extras,
            "name": name,
            "throughput": mbs / median if median else 0.0,
        }
        self.report_benchmark(**values)
        return values


def run_benchmarks(regex: str) -> None:
    """Runs the benchmark methods whose `module.Class.method` a regular expression matches.

    Args:
        regex: str, searched for in the names; `all` for every method.
    """
    for cls in list(_classes):
        instance = None
        for method in sorted(dir(cls)):
            if not method.startswith("benchmark") or not callable(getattr(cls, method)):
                continue
            if regex == "all" or re.search(regex, f"{cls.__module__}.{cls.__name__}.{method}"):
                instance = instance or cls()
                getattr(instance, method)()
