"""Export strategies of `tf.contrib.learn`: ways to export a model, each with a name."""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from ferroflow._src.base.files.system import delete_recursively, exists, make_directories, rename
from ferroflow._src.base.typing import DictLike
from ferroflow._src.checkpoint.state import latest_checkpoint
from ferroflow._src.contrib.layers.columns import create_feature_spec_for_parsing
from ferroflow._src.contrib.learn.export_versions import garbage_collect_exports
from ferroflow._src.contrib.learn.exporting import build_parsing_serving_input_fn
from ferroflow._src.estimator import estimator as core
from ferroflow._src.estimator.exporters import best_of_event_files, is_loss_smaller
from ferroflow._src.estimator.serving import build_parsing_serving_input_receiver_fn

__all__ = [
    "BestModelSelector",
    "ExportStrategy",
    "extend_export_strategy",
    "make_best_model_export_strategy",
    "make_export_strategy",
    "make_parsing_export_strategy",
]


class _Strategy(NamedTuple):
    name: str
    export_fn: Callable[..., Any]
    strip_default_attrs: bool | None


class ExportStrategy(_Strategy):
    """A way to export a model, under a name.

    Args:
        name: str, the name of the folder below `export`.
        export_fn: function of an estimator, a folder and, if it takes them, `checkpoint_path`, `eval_result` and
            `strip_default_attrs`, which returns the folder that it made.
        strip_default_attrs: bool. If True, attributes of nodes that have their default value are left out.
    """

    __slots__ = ()

    def __new__(
        cls, name: str, export_fn: Callable[..., Any], strip_default_attrs: bool | None = None
    ) -> ExportStrategy:
        return super().__new__(cls, name, export_fn, strip_default_attrs)

    def export(
        self, estimator: Any, export_path: str, checkpoint_path: str | None = None, eval_result: DictLike | None = None
    ) -> Any:
        """Exports the model of an estimator.

        Args:
            estimator: Estimator, of `tf.estimator` or `tf.contrib.learn`.
            export_path: str, the folder to export into.
            checkpoint_path: str, prefix of the checkpoint; None for the latest.
            eval_result: dict of the metrics by name, or None.

        Returns:
            The result of the function: bytes or str, the new folder.

        Raises:
            ValueError: if the function takes `eval_result` and no `checkpoint_path`.
        """
        taken = inspect.signature(self.export_fn).parameters
        if "eval_result" in taken and "checkpoint_path" not in taken:
            raise ValueError("An export_fn accepting eval_result must also accept checkpoint_path.")
        given = {
            "checkpoint_path": checkpoint_path,
            "eval_result": eval_result,
            "strip_default_attrs": self.strip_default_attrs,
        }
        return self.export_fn(estimator, export_path, **{key: given[key] for key in given if key in taken})


def make_export_strategy(
    serving_input_fn: Callable[[], Any],
    default_output_alternative_key: str | None = None,
    assets_extra: DictLike | None = None,
    as_text: bool = False,
    exports_to_keep: int | None = 5,
    strip_default_attrs: bool | None = None,
) -> ExportStrategy:
    """Returns the strategy that writes SavedModels.

    Args:
        serving_input_fn: function of no arguments that returns InputFnOps.
        default_output_alternative_key: str, the head that is exported under the default name; None for the only one.
        assets_extra: dict from names below the folder's "assets.extra" to paths of files that are copied there.
        as_text: bool. If True, the graph is written as text.
        exports_to_keep: int, the number of exports that are kept; None for all.
        strip_default_attrs: bool. If True, attributes of nodes that have their default value are left out.

    Returns:
        ExportStrategy.
    """

    def export_fn(
        estimator: Any, export_dir_base: Any, checkpoint_path: str | None = None, strip_default_attrs: Any = False
    ) -> Any:
        more: dict[str, Any] = {}
        if not isinstance(estimator, core.Estimator):
            more["default_output_alternative_key"] = default_output_alternative_key
        elif default_output_alternative_key is not None:
            raise ValueError(
                "default_output_alternative_key is not supported in core Estimator. "
                f"Given: {default_output_alternative_key}"
            )
        made = estimator.export_savedmodel(
            export_dir_base,
            serving_input_fn,
            assets_extra=assets_extra,
            as_text=as_text,
            checkpoint_path=checkpoint_path,
            strip_default_attrs=strip_default_attrs,
            **more,
        )
        garbage_collect_exports(export_dir_base, exports_to_keep)
        return made

    return ExportStrategy("Servo", export_fn, strip_default_attrs)


def make_parsing_export_strategy(
    feature_columns: Any,
    default_output_alternative_key: str | None = None,
    assets_extra: DictLike | None = None,
    as_text: bool = False,
    exports_to_keep: int | None = 5,
    target_core: bool = False,
    strip_default_attrs: bool | None = None,
) -> ExportStrategy:
    """Returns the strategy that writes SavedModels that parse examples with feature columns.

    Args:
        feature_columns: list of feature columns, those of labels aside.
        default_output_alternative_key: str, the head that is exported under the default name; None for the only one.
        assets_extra: dict from names below the folder's "assets.extra" to paths of files that are copied there.
        as_text: bool. If True, the graph is written as text.
        exports_to_keep: int, the number of exports that are kept; None for all.
        target_core: bool. If True, the estimators to export are of `tf.estimator`.
        strip_default_attrs: bool. If True, attributes of nodes that have their default value are left out.

    Returns:
        ExportStrategy.
    """
    spec = create_feature_spec_for_parsing(feature_columns)
    make = build_parsing_serving_input_receiver_fn if target_core else build_parsing_serving_input_fn
    return make_export_strategy(
        make(spec),
        default_output_alternative_key=default_output_alternative_key,
        assets_extra=assets_extra,
        as_text=as_text,
        exports_to_keep=exports_to_keep,
        strip_default_attrs=strip_default_attrs,
    )


class BestModelSelector:
    """Chooses the evaluations that are better than all before.

    Args:
        event_file_pattern: str, a pattern of event files with earlier evaluations, or None.
        compare_fn: function of two dicts of metrics that returns True if the second one is better; None for the one
            with the smaller "loss".
    """

    def __init__(self, event_file_pattern: str | None = None, compare_fn: Callable[..., Any] | None = None) -> None:
        self._compare_fn: Callable[..., Any] = compare_fn or is_loss_smaller
        self._best = None if not event_file_pattern else best_of_event_files(event_file_pattern, self._compare_fn)

    def update(self, checkpoint_path: str, eval_result: DictLike) -> tuple[str, Any]:
        """Returns the checkpoint and its metrics if they are better than all before, and otherwise "" and None.

        Args:
            checkpoint_path: str, prefix of the evaluated checkpoint.
            eval_result: dict of its metrics by name.

        Returns:
            A pair of str and dict or None.

        Raises:
            ValueError: if one of them is missing.
        """
        if not checkpoint_path:
            raise ValueError("Checkpoint path is empty.")
        if eval_result is None:
            raise ValueError(f"{checkpoint_path} has empty evaluation results.")
        if self._best is not None and not self._compare_fn(self._best, eval_result):
            return "", None
        self._best = dict(eval_result)
        return checkpoint_path, eval_result


def make_best_model_export_strategy(
    serving_input_fn: Callable[[], Any],
    exports_to_keep: int | None = 1,
    model_dir: str | None = None,
    event_file_pattern: str | None = None,
    compare_fn: Callable[..., Any] | None = None,
    default_output_alternative_key: str | None = None,
    strip_default_attrs: bool | None = None,
) -> ExportStrategy:
    """Returns the strategy that writes a SavedModel of each checkpoint that is better than all before.

    Args:
        serving_input_fn: function of no arguments that returns InputFnOps.
        exports_to_keep: int, the number of exports of a checkpoint that are kept; None for all.
        model_dir: str, the model's folder, or None.
        event_file_pattern: str, a pattern of event files below `model_dir` with earlier evaluations, or None.
        compare_fn: function of two dicts of metrics that returns True if the second one is better; None for the one
            with the smaller "loss".
        default_output_alternative_key: str, the head that is exported under the default name; None for the only one.
        strip_default_attrs: bool. If True, attributes of nodes that have their default value are left out.

    Returns:
        ExportStrategy, whose `export` returns "" if nothing is exported.
    """
    strategy = make_export_strategy(
        serving_input_fn,
        exports_to_keep=exports_to_keep,
        default_output_alternative_key=default_output_alternative_key,
        strip_default_attrs=strip_default_attrs,
    )
    pattern = os.path.join(model_dir, event_file_pattern) if model_dir and event_file_pattern else None
    selector = BestModelSelector(pattern, compare_fn)

    def export_fn(
        estimator: Any, export_dir_base: str, checkpoint_path: str | None, eval_result: DictLike | None = None
    ) -> Any:
        path, result = selector.update(
            checkpoint_path or latest_checkpoint(estimator.model_dir),  # type: ignore[arg-type]  # `update` refuses None
            eval_result,  # type: ignore[arg-type]  # likewise
        )
        if not path:
            return ""
        folder = os.path.join(export_dir_base, os.path.basename(path))
        return strategy.export(estimator, folder, path, result)

    return ExportStrategy("best_model", export_fn)


def extend_export_strategy(
    base_export_strategy: ExportStrategy,
    post_export_fn: Callable[[Any, str], Any],
    post_export_name: str | None = None,
) -> ExportStrategy:
    """Returns the strategy that changes what another one has exported.

    Args:
        base_export_strategy: ExportStrategy.
        post_export_fn: function of the exported folder and a folder to write to; it returns the folder below the latter
            that it made.
        post_export_name: str, the strategy's name; None for that of `base_export_strategy`.

    Returns:
        ExportStrategy. Its `export` raises a ValueError if `post_export_fn` returns another folder, and a RuntimeError
        if a folder to write to exists.
    """

    def export_fn(estimator: Any, export_dir_base: str, checkpoint_path: str | None = None) -> Any:
        before = _new_folder(export_dir_base, "temp-base-export")
        after = _new_folder(export_dir_base, "temp-post-export")
        try:
            made = post_export_fn(base_export_strategy.export(estimator, before, checkpoint_path), after)
            if not made.startswith(after):
                raise ValueError(f"post_export_fn must return a sub-directory of {after}")
            final = os.path.join(export_dir_base, os.path.relpath(made, after))
            if exists(final):
                raise RuntimeError(f"The folder of the export exists already: {final}")
            rename(made, final)
        finally:
            for folder in (before, after):
                delete_recursively(folder)
        return final

    return ExportStrategy(post_export_name or base_export_strategy.name, export_fn)


def _new_folder(base: str, name: str) -> str:
    folder = os.path.join(base, f"{name}-{int(time.time())}")
    if exists(folder):
        raise RuntimeError(f"The folder for an export exists already: {folder}")
    make_directories(folder)
    return folder
