"""`HParams`: hyperparameters of a model, which can be set from a text such as `rate=0.1,units=[8,4]`."""

from __future__ import annotations

import json
import numbers
import re
from collections.abc import Callable, Mapping
from typing import Any

from ferroflow._src.base.deprecation import deprecated

# name = value, name[index] = value or name = [value, value], and the comma after it.
_CLAUSE = re.compile(
    r"(?P<name>[a-zA-Z]\w*)(\[\s*(?P<index>\d+)\s*\])?\s*=\s*((?P<value>[^,\[]*)|\[(?P<values>[^\]]*)\])($|,\s*)"
)
_BOOLS = {"true": True, "True": True, "false": False, "False": False}


def parse_values(values: str, type_map: Mapping[str, type]) -> dict[str, Any]:
    """Reads the values of hyperparameters from a text.

    Args:
        values: str, clauses `name=value`, `name=[value,value]` or `name[index]=value`, with commas between them.
        type_map: the type of each hyperparameter, for a list that of its elements.

    Returns:
        For each name a value, a list of them, or a dict of the values of its indices.

    Raises:
        ValueError: if the text cannot be read, a name is unknown, or is given twice.
    """
    found: dict[str, Any] = {}
    position = 0
    while position < len(values):
        clause = _CLAUSE.match(values, position)
        if clause is None:
            raise ValueError(f"Malformed hyperparameter value: {values[position:]}")
        position = clause.end()
        name, index = clause["name"], clause["index"]
        if name not in type_map:
            raise ValueError(f"Unknown hyperparameter type for {name}")
        is_list = clause["value"] is None
        if is_list and index is not None:
            raise ValueError("Assignment of a list to a list index.")
        parse = _parser(name, type_map[name], values, clause["values"] if is_list else clause["value"])
        if is_list:
            if name in found:
                _fail_repeated(name, values)
            found[name] = [parse(element) for element in re.split("[ ,]", clause["values"]) if element]
        elif index is None:
            value = parse(clause["value"])
            if name in found:
                _fail_repeated(name, values)
            found[name] = value
        else:
            value = parse(clause["value"])
            of_indices = found.setdefault(name, {})
            if not isinstance(of_indices, dict):
                _fail_repeated(name, values)
            if int(index) in of_indices:
                _fail_repeated(f"{name}[{index}]", values)
            of_indices[int(index)] = value
    return found


def _fail_repeated(name: str, values: str) -> None:
    raise ValueError(f"Multiple assignments to variable '{name}' in {values}")


def _parser(name: str, kind: type, values: str, shown: str) -> Callable[[str], Any]:
    def parse(text: str) -> Any:
        try:
            if kind is bool:
                return _BOOLS[text] if text in _BOOLS else bool(int(text))
            return kind(text)
        except ValueError:
            raise ValueError(
                f"Could not parse hparam '{name}' of type '{kind.__name__}' with value '{shown}' in {values}"
            ) from None

    return parse


def _cast(name: str, kind: Any, value: Any) -> Any:
    """Returns a value as the type of the hyperparameter; raises ValueError where that would change what it is."""
    if issubclass(kind, type(None)):
        return value
    text = (str, bytes)
    if (
        (issubclass(kind, text) and not isinstance(value, text))
        or issubclass(kind, bool) != isinstance(value, bool)
        or (issubclass(kind, numbers.Integral) and not isinstance(value, numbers.Integral))
        or (issubclass(kind, numbers.Number) and not isinstance(value, numbers.Number))
    ):
        raise ValueError(f"Could not cast hparam '{name}' of type '{kind}' from value {value!r}")
    return kind(value)


class HParams:
    """Hyperparameters: attributes whose types are those of their first values.

    Args:
        hparam_def: None; TensorFlow's message of hyperparameters is not read.
        model_structure: anything, kept for `get_model_structure`.
        **kwargs: the values by name: int, float, bool, str, or a list of one of them that is not empty.

    Raises:
        ValueError: if a name is that of a method, or a list is empty.
        NotImplementedError: if `hparam_def` is given.

    Example:
        >>> hparams = tf.contrib.training.HParams(learning_rate=0.1, layers=[64, 64])
        >>> hparams = hparams.parse("learning_rate=0.01,layers=[32]")
        >>> print(hparams.learning_rate, hparams.layers)
        0.01 [32]
    """

    def __init__(self, hparam_def: object = None, model_structure: object = None, **kwargs: Any) -> None:
        if hparam_def is not None:
            raise NotImplementedError(
                "hparam_def: the message HParamDef is not supported; pass the values by name, as in HParams(rate=0.1)"
            )
        # The type of each, for a list that of its elements, and whether it is a list.
        self._hparam_types: dict[str, tuple[type, bool]] = {}
        self._model_structure = model_structure
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def add_hparam(self, name: str, value: Any) -> None:
        """Adds a hyperparameter.

        Args:
            name: str, its name.
            value: its value, as in the constructor.

        Raises:
            ValueError: on the same conditions as the constructor.
        """
        if getattr(self, name, None) is not None:
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        is_list = isinstance(value, (list, tuple))
        if is_list and not value:
            raise ValueError(f"Multi-valued hyperparameters cannot be empty: {name}")
        self._hparam_types[name] = (type(value[0] if is_list else value), is_list)
        setattr(self, name, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Sets a hyperparameter to another value.

        Args:
            name: str, its name.
            value: a value of its type, a list for a list.

        Raises:
            KeyError: if the hyperparameter does not exist.
            ValueError: if the value is not of its type.
        """
        kind, is_list = self._hparam_types[name]
        if isinstance(value, list):
            if not is_list:
                raise ValueError(f"Must not pass a list for single-valued parameter: {name}")
            setattr(self, name, [_cast(name, kind, v) for v in value])
        else:
            if is_list:
                raise ValueError(f"Must pass a list for multi-valued parameter: {name}.")
            setattr(self, name, _cast(name, kind, value))

    def del_hparam(self, name: str) -> None:
        """Removes a hyperparameter, if there is one of that name.

        Args:
            name: str.
        """
        if name in self._hparam_types:
            delattr(self, name)
            del self._hparam_types[name]

    def parse(self, values: str) -> HParams:
        """Sets values that a text gives, as `parse_values` reads it.

        Args:
            values: str, such as `rate=0.1,units=[8,4]`.

        Returns:
            These hyperparameters.

        Raises:
            ValueError: if the text cannot be read.
        """
        return self.override_from_dict(parse_values(values, {n: kind for n, (kind, _) in self._hparam_types.items()}))

    def override_from_dict(self, values_dict: Mapping[str, Any]) -> HParams:
        """Sets values by name, as `set_hparam` does.

        Args:
            values_dict: dict of values by the names of hyperparameters.

        Returns:
            These hyperparameters.

        Raises:
            KeyError: if there is no hyperparameter of a name.
            ValueError: if a value is not of the type of its hyperparameter.
        """
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    @deprecated("HParams.override_from_dict")
    def set_from_map(self, values_map: Mapping[str, Any]) -> HParams:
        """Deprecated: use `override_from_dict`.

        Args:
            values_map: dict of values by the names of hyperparameters.

        Returns:
            These hyperparameters.

        Raises:
            KeyError, ValueError: on the same conditions as `override_from_dict`.
        """
        return self.override_from_dict(values_map)

    def set_model_structure(self, model_structure: object) -> None:
        """Stores a value for `get_model_structure`.

        Args:
            model_structure: any object.
        """
        self._model_structure = model_structure

    def get_model_structure(self) -> Any:
        """Returns the value passed to the constructor or to `set_model_structure`."""
        return self._model_structure

    def to_json(self, indent: Any = None, separators: Any = None, sort_keys: bool = False) -> str:
        """Returns the values as a JSON object.

        Args:
            indent: as for `json.dumps`: int, spaces of a level; None for one line.
            separators: as for `json.dumps`: tuple of the str between items and after keys.
            sort_keys: bool. If True, the names are sorted.

        Returns:
            str.

        Raises:
            TypeError: if a value has no JSON form, for example bytes.
        """
        return json.dumps(self.values(), indent=indent, separators=separators, sort_keys=sort_keys)

    def parse_json(self, values_json: str) -> HParams:
        """Sets the values of a JSON object.

        Args:
            values_json: str, such as `{"rate": 0.1}`.

        Returns:
            These hyperparameters.

        Raises:
            ValueError: if the text is not JSON, or a value is not of the type of its hyperparameter.
            KeyError: if there is no hyperparameter of a name.
        """
        return self.override_from_dict(json.loads(values_json))

    def values(self) -> dict[str, Any]:
        """Returns the values by name."""
        return {name: getattr(self, name) for name in self._hparam_types}

    def get(self, key: str, default: Any = None) -> Any:
        """Returns the value of a hyperparameter, or a default if there is none of that name.

        Args:
            key: str, its name.
            default: any value; if the hyperparameter exists, a value of its type, or None.

        Returns:
            The value, or `default`.

        Raises:
            ValueError: if the default is not of the hyperparameter's type.
        """
        if key not in self._hparam_types:
            return default
        if default is not None:
            kind, is_list = self._hparam_types[key]
            failure = (
                f"Hparam '{key}' of type '{f'list<{kind}>' if is_list else kind}' is incompatible with "
                f"default={default}"
            )
            if is_list != isinstance(default, list):
                raise ValueError(failure)
            try:
                for value in default if is_list else [default]:
                    _cast(key, kind, value)
            except ValueError as error:
                raise ValueError(f"{failure}. {error}") from None
        return getattr(self, key)

    def __contains__(self, key: object) -> bool:
        return key in self._hparam_types

    def __str__(self) -> str:
        return str(sorted(self.values().items()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"
