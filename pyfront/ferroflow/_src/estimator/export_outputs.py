"""Outputs of a model that a SavedModel offers, each as a signature."""

from __future__ import annotations

import abc
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import NestedTensors
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.saved_model.signatures import (
    classification_signature_def,
    predict_signature_def,
    regression_signature_def,
)


class ExportOutput(abc.ABC):
    """An output of a model."""

    @abc.abstractmethod
    def as_signature_def(self, receiver_tensors: dict[str, Tensor]) -> Any:
        """Returns the SignatureDef of the output for inputs by name.

        Args:
            receiver_tensors: dict of the Tensors that are fed, of any dtypes and shapes, by name.

        Returns:
            SignatureDef message.
        """


def _the_one_of_strings(receiver_tensors: dict[str, Tensor], what: str) -> Tensor:
    tensors = list(receiver_tensors.values())
    if len(tensors) != 1:
        raise ValueError(f"{what} input must be a single string Tensor; got {receiver_tensors}")
    if tensors[0].dtype != dtypes.string:
        raise ValueError(f"{what} input must be a single string Tensor; got {receiver_tensors}")
    return tensors[0]


class ClassificationOutput(ExportOutput):
    """Output of classes' scores, their names, or both.

    Args:
        scores: Tensor of a float dtype, of shape [batch, n] or [n], or None.
        classes: Tensor of strings, of shape [batch, n] or [n], or None.

    Raises:
        ValueError: if both are None, or a tensor has a wrong dtype.
    """

    def __init__(self, scores: Any = None, classes: Any = None) -> None:
        if scores is not None and not (isinstance(scores, Tensor) and scores.dtype.is_floating):
            raise ValueError(f"Classification scores must be a float32 Tensor; got {scores}")
        if classes is not None and not (isinstance(classes, Tensor) and classes.dtype == dtypes.string):
            raise ValueError(f"Classification classes must be a string Tensor; got {classes}")
        if scores is None and classes is None:
            raise ValueError("At least one of scores and classes must be set.")
        self._scores = scores
        self._classes = classes

    @property
    def scores(self) -> Any:
        """The scores, or None."""
        return self._scores

    @property
    def classes(self) -> Any:
        """The names, or None."""
        return self._classes

    def as_signature_def(self, receiver_tensors: dict[str, Tensor]) -> Any:
        """Returns the SignatureDef of a classification of serialized examples.

        Args:
            receiver_tensors: dict of the Tensors that are fed, by name: one of strings, of shape [batch].

        Returns:
            SignatureDef message.

        Raises:
            ValueError: if the input is not one Tensor of strings.
        """
        examples = _the_one_of_strings(receiver_tensors, "Classification")
        return classification_signature_def(examples, self.classes, self.scores)


class RegressionOutput(ExportOutput):
    """Output of numbers.

    Args:
        value: Tensor of a float dtype, of shape [batch, ...].

    Raises:
        ValueError: if the tensor has a wrong dtype.
    """

    def __init__(self, value: NestedTensors) -> None:
        if not (isinstance(value, Tensor) and value.dtype.is_floating):
            raise ValueError(f"Regression output value must be a float32 Tensor; got {value}")
        self._value = value

    @property
    def value(self) -> Tensor:
        """The numbers."""
        return self._value

    def as_signature_def(self, receiver_tensors: dict[str, Tensor]) -> Any:
        """Returns the SignatureDef of a regression of serialized examples.

        Args:
            receiver_tensors: dict of the Tensors that are fed, by name: one of strings, of shape [batch].

        Returns:
            SignatureDef message.

        Raises:
            ValueError: if the input is not one Tensor of strings.
        """
        return regression_signature_def(_the_one_of_strings(receiver_tensors, "Regression"), self.value)


class PredictOutput(ExportOutput):
    """Output of any tensors, by name.

    Args:
        outputs: Tensor of any dtype and shape, which is named "output", or dict of them. Names that are tuples of str
            are joined by "/".

    Raises:
        ValueError: if a name is not a str, or a value no Tensor.
    """

    def __init__(self, outputs: NestedTensors) -> None:
        given: dict[Any, Any] = outputs if isinstance(outputs, dict) else {"output": outputs}
        named = {"/".join(name) if isinstance(name, tuple) else name: value for name, value in given.items()}
        for name, value in named.items():
            if not isinstance(name, str):
                raise ValueError(f"Prediction output key must be a string; got {name}.")
            if not isinstance(value, Tensor):
                raise ValueError(f"Prediction output value must be a Tensor; got {value}.")
        self._outputs = named

    @property
    def outputs(self) -> dict[str, Tensor]:
        """The Tensors, of any dtypes and shapes, by name."""
        return self._outputs

    def as_signature_def(self, receiver_tensors: dict[str, Tensor]) -> Any:
        """Returns the SignatureDef of a prediction from any tensors.

        Args:
            receiver_tensors: dict of the Tensors that are fed, of any dtypes and shapes, by name.

        Returns:
            SignatureDef message.
        """
        return predict_signature_def(receiver_tensors, self.outputs)
