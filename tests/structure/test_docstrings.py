"""Laws of the public docstrings, and of the checks that find what they leave out."""

import ast
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from structure import docstrings

import ferroflow
from ferroflow._src.base.docstrings import add_example, document


def test_every_public_name_tells_its_arguments_dtypes_shapes_and_errors():
    symbols = docstrings.public_symbols(ferroflow)
    assert [f"{symbol.path}: {gap}" for symbol in symbols for gap in docstrings.gaps(symbol)] == []


def test_the_check_reads_every_public_name():
    symbols = {symbol.path: symbol for symbol in docstrings.public_symbols(ferroflow)}
    assert len(symbols) > 3000
    assert {
        "ferroflow.matmul",
        "ferroflow.Graph",
        "ferroflow.Graph.get_tensor_by_name",
        "ferroflow.Tensor.shape",
        "ferroflow.raw_ops.MatMul",
        "ferroflow.contrib.slim.model_analyzer.analyze_ops",
    } <= symbols.keys()
    assert symbols["ferroflow.matmul"].module == "ferroflow"


def _made(value: Any, name: str = "f") -> docstrings.Symbol:
    """A public name of a module of its own."""
    module = ModuleType("ferroflow.made")
    value.__module__ = module.__name__
    setattr(module, name, value)
    (found,) = docstrings.public_objects(module, "ferroflow")
    assert list(docstrings.public_objects(module, "another")) == []
    return docstrings.Symbol(*found)


def _sum(a: Any, axis: int | None = None, name: str | None = None) -> "ferroflow.Tensor":
    if axis == 7:
        raise ValueError("axis")
    try:
        return ferroflow.reduce_sum(a, axis, name=name)
    except TypeError as error:
        raise error


_WHOLE = """Adds the elements.

    Args:
        a: Tensor of float32.
        axis: the dimension
            to add along.

    Returns:
        Tensor of the dtype of `a`.

    Raises:
        ValueError: `axis` is 7.
    """


def _gaps(old: str = "", new: str = "") -> list[str]:
    assert old in _WHOLE
    _sum.__doc__ = _WHOLE.replace(old, new) if old else _WHOLE
    return docstrings.gaps(_made(_sum))


def test_a_whole_docstring_leaves_out_nothing():
    assert _gaps() == []


@pytest.mark.parametrize("docstring", [None, "", "Half a sentence", "A sentence, but\nno period\n\nMore."])
def test_a_missing_or_unfinished_sentence_is_found(docstring):
    def f():
        pass

    f.__doc__ = docstring
    assert docstrings.gaps(_made(f)) == ["no first sentence"]


@pytest.mark.parametrize(
    ("old", "new", "gap"),
    [
        ("        axis: the dimension\n            to add along.\n", "", "argument axis is not described"),
        ("axis:", "axes:", "argument axis is not described"),
        ("axis:", "axes:", "there is no argument axes"),
        ("Tensor of float32", "what is added", "argument a has neither dtype nor shape nor kind"),
        ("Tensor of float32", "Tensor", "argument a has neither dtype nor shape nor kind"),
        ("Returns:", "Gives:", "no Returns:"),
        ("Tensor of the dtype of `a`", "The sum", "the result has neither dtype nor shape nor kind"),
        ("Raises:", "Errors:", "no Raises: for ValueError"),
        ("ValueError:", "TypeError:", "Raises: without ValueError"),
    ],
)
def test_what_a_docstring_leaves_out_is_found(old, new, gap):
    assert gap in _gaps(old, new)


def test_the_receiver_is_no_argument_but_a_functions_cls_is():
    def f(cls: type) -> None:
        """Does something."""

    assert docstrings.gaps(_made(f)) == []
    f.__qualname__ = "f"
    assert docstrings.gaps(_made(f)) == ["argument cls is not described"]
    f.__doc__ = "Does something.\n\nArgs:\n    cls: class to do it to."
    assert docstrings.gaps(_made(f)) == []


def test_arguments_of_classes_are_described_by_each_class_or_its_own_constructor():
    class Described:
        """A thing.

        Args:
            size: int, how many.
        """

        def __init__(self, size: int) -> None:
            if size < 0:
                raise ValueError("size")

    class Derived(Described):
        """Another thing."""

    assert docstrings.gaps(_made(Described, "Described")) == ["no Raises: for ValueError"]
    assert docstrings.gaps(_made(Derived, "Derived")) == ["argument size is not described"]
    Described.__init__.__doc__ = Described.__doc__
    Described.__doc__ = "A thing."
    assert docstrings.gaps(_made(Described, "Described")) == ["no Raises: for ValueError"]


def test_an_override_may_leave_its_docstring_to_what_it_overrides():
    class Base:
        def size(self) -> "ferroflow.Tensor":
            """The number of rows, int64 []."""

    class Derived(Base):
        def size(self) -> "ferroflow.Tensor":
            return ferroflow.constant(0)

    symbol = docstrings.Symbol("made.Derived.size", Derived.__dict__["size"], Derived)
    assert docstrings.gaps(symbol) == []
    Base.size.__doc__ = "The number."
    assert docstrings.gaps(symbol) == ["the result has neither dtype nor shape nor kind"]


def test_one_function_sets_docstrings():
    root = Path(ferroflow.__file__).parent
    # A layer's docstring is extended before the families of its functions are formatted with a part of it.
    allowed = {"_src/base/docstrings.py", "_src/layers/layer_functions.py", "_src/internals/defun.py"}
    found = set()
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            targets = node.targets if isinstance(node, ast.Assign) else []
            if any(isinstance(target, ast.Attribute) and target.attr == "__doc__" for target in targets):
                found.add(path.relative_to(root).as_posix())
    assert found == allowed


def test_parts_of_a_docstring_have_one_indentation_and_the_example_is_last():
    def function():
        """Does something.

        Example:
            >>> function()
        """

    document(function, function.__doc__, "Args:\n    x: int.", "\n        Returns:\n            int.\n", None, name="f")
    assert function.__doc__ == (
        "Does something.\n\nArgs:\n    x: int.\n\nReturns:\n    int.\n\nExample:\n    >>> function()"
    )
    assert function.__name__ == "f"
    add_example(function, "\n        >>> 1\n        1\n        ")
    assert function.__doc__.endswith("Example:\n    >>> function()\n\nExample:\n    >>> 1\n    1")
