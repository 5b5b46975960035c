"""Exports of `tf.contrib.learn`: the signatures of exported models, and strategies that write them."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from ferroflow._src.base import dtypes
from ferroflow._src.base.files.system import delete_recursively, list_directory
from ferroflow._src.base.typing import DictLike
from ferroflow._src.contrib.learn.model_ops import (
    InputFnOps,
    ModelFnOps,
    PredictionKey,
    ProblemType,
    class_names_of,
    scores_of,
)
from ferroflow._src.estimator import estimator as core
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.ops.parsing.examples import parse_example
from ferroflow._src.saved_model.signature_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from ferroflow._src.saved_model.signatures import (
    classification_signature_def,
    predict_signature_def,
    regression_signature_def,
)

__all__ = [
    "ExportStrategy",
    "build_parsing_serving_input_fn",
    "make_export_strategy",
    "output_alternatives_of",
    "signature_defs",
]

_DEFAULT_INPUTS: Final = "default_input_alternative"
_DEFAULT_OUTPUTS: Final = "default_output_alternative"


def build_parsing_serving_input_fn(
    feature_spec: DictLike, default_batch_size: int | None = None
) -> Callable[[], InputFnOps]:
    """Returns a function that makes a placeholder of serialized examples and parses them.

    Args:
        feature_spec: dict of the features to parse, as `tf.parse_example` takes it.
        default_batch_size: int, the number of examples; None for any.

    Returns:
        callable without arguments that gives InputFnOps, for `export_savedmodel`.
    """

    def input_fn() -> InputFnOps:
        serialized = placeholder(dtypes.string, shape=[default_batch_size], name="input_example_tensor")
        return InputFnOps(parse_example(serialized, dict(feature_spec)), None, {"examples": serialized})

    return input_fn


def output_alternatives_of(ops: ModelFnOps, default_key: str | None) -> tuple[dict[Any, Any], Any]:
    """Returns the output alternatives of a model, and the key of the default one.

    Args:
        ops: ModelFnOps.
        default_key: str, the key that is requested for the default one; None for the only one.

    Raises:
        ValueError: if there is no alternative of that key, or there are several and no key is given.
    """
    alternatives = ops.output_alternatives
    available = sorted(map(str, alternatives or ()))
    if default_key and default_key not in (alternatives or ()):
        raise ValueError(
            f"Requested default_output_alternative: {default_key}, but available output_alternatives are: {available}"
        )
    if not alternatives:
        outputs = ops.predictions
        named = dict(outputs) if isinstance(outputs, Mapping) else {PredictionKey.GENERIC: outputs}
        return {_DEFAULT_OUTPUTS: (ProblemType.UNSPECIFIED, named)}, _DEFAULT_OUTPUTS
    if default_key:
        return alternatives, default_key
    if len(alternatives) > 1:
        raise ValueError(
            f"Please specify a default_output_alternative.  Available output_alternatives are: {available}"
        )
    return alternatives, next(iter(alternatives))


def _signature_def(inputs: Mapping[str, Any], outputs: Mapping[str, Any], problem_type: int) -> Any:
    """Returns the signature for a kind of problem, or that of a prediction if the outputs do not fit it."""
    if not inputs:
        raise ValueError("input_tensors must be provided.")
    if not outputs:
        raise ValueError("output_tensors must be provided.")
    if len(inputs) == 1:
        (examples,) = inputs.values()
        if problem_type in (ProblemType.CLASSIFICATION, ProblemType.LOGISTIC_REGRESSION):
            classes, scores = class_names_of(outputs), scores_of(outputs)
            if classes is None and scores is None and len(outputs) == 1:
                (only,) = outputs.values()
                classes, scores = (only, None) if only.dtype == dtypes.string else (None, only)
            if classes is not None or scores is not None:
                return classification_signature_def(examples, classes, scores)
        if problem_type == ProblemType.LINEAR_REGRESSION and len(outputs) == 1:
            return regression_signature_def(examples, next(iter(outputs.values())))
    return predict_signature_def(inputs, outputs)


def signature_defs(inputs: Mapping[str, Any] | None, alternatives: Mapping[Any, Any], default_key: Any) -> Any:
    """Returns the signatures of all output alternatives, and the default one.

    Args:
        inputs: dict from str to the Tensors that are fed, of any dtypes and shapes.
        alternatives: dict from keys to pairs of a `ProblemType` and a dict of Tensors of any dtypes and shapes.
        default_key: the key of the default one.

    Returns:
        dict of SignatureDef messages.

    Raises:
        ValueError: if there are no inputs or no outputs.
    """
    if not inputs:
        raise ValueError("A default input_alternative must be provided.")
    found = {
        f"{_DEFAULT_INPUTS}:{key or None}": _signature_def(inputs, outputs, problem_type)
        for key, (problem_type, outputs) in alternatives.items()
    }
    problem_type, outputs = alternatives[default_key]
    found[DEFAULT_SERVING_SIGNATURE_DEF_KEY] = _signature_def(inputs, outputs, problem_type)
    return found


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


def _remove_old_exports(folder: Any, keep: int | None) -> None:
    """Removes all but the newest folders that are named by the time."""
    if keep is None:
        return
    base = os.fsdecode(folder)
    exports = sorted((name for name in list_directory(base) if len(name) == 10 and name.isdigit()), key=int)
    for name in exports[: max(len(exports) - keep, 0)]:
        delete_recursively(os.path.join(base, name))


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
        _remove_old_exports(export_dir_base, exports_to_keep)
        return made

    return ExportStrategy("Servo", export_fn, strip_default_attrs)
