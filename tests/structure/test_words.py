"""Laws of plain words in docstrings and comments of both languages, and of the checks that find breaches."""

from pathlib import Path

import pytest
from structure import words

_ROOT = Path(__file__).resolve().parents[2]


def test_the_front_ends_texts_are_in_plain_words():
    assert words.problems_of_files(_ROOT / "pyfront") == []


@pytest.mark.parametrize("folder", ["rust", "benches", "fuzz"])
def test_texts_in_rust_are_in_plain_words(folder):
    assert words.rust_problems_of_files(_ROOT / folder) == []


_PLAIN = '''
"""Sums of numbers."""

# Numbers are added in order,
# so that sums are repeatable.


def add(numbers, negate=False):
    """Returns the sum of numbers.

    The order of the numbers is kept.

    Args:
        numbers: list of int, the numbers
            to add.
        negate: bool. If True, the sum is negated.

    Returns:
        int, the sum.

    Raises:
        TypeError: if an element is not
            a number.
        lib.errors.Overflow: when the sum is too large.
    """


class Sum:
    """A sum."""

    @property
    def value(self):
        """The value of the sum."""


add.__doc__ = f"""{add} numbers.

Raises:
    TypeError: if an element is not a number.
"""
'''


def test_plain_words_have_no_problem():
    assert list(words.problems(_PLAIN)) == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("Sums of numbers.", "What sums are.", "begins with 'What'"),
        ("# Numbers are", "# How numbers are", "begins with 'How'"),
        ("The order of", "Where the order of", "begins with 'Where'"),
        ("int, the sum.", "That of the numbers.", "begins with 'That'"),
        ("list of int, the numbers", "those", "begins with 'those'"),
        ("A sum.", "Whose value is a sum.", "begins with 'Whose'"),
        ("Returns the sum", "The sum", "does not begin with a verb"),
        ("if an element is not\n", "an element is not\n", "does not begin with 'if', 'when' or 'on'"),
        ("when the sum is", "the sum is", "does not begin with 'if', 'when' or 'on'"),
        ("    TypeError: if an element is not a", "    TypeError: no", "does not begin with 'if', 'when' or 'on'"),
        ("bool. If True, the sum", "bool, whether the sum", "does not say 'If True, ...'"),
        ("The order of", "The module knows the order of", "has the word 'knows'"),
        (
            "list of int, the numbers",
            "list of int; None for none, the numbers",
            "has the word 'None for none'",
        ),
        ("The order of the numbers is kept.", f"The{' very' * 29} last.", "has a sentence of 31 words"),
    ],
)
def test_a_breach_of_a_rule_is_found(old, new, problem):
    assert old in _PLAIN
    (found,) = words.problems(_PLAIN.replace(old, new))
    assert found.endswith(problem)


def test_code_counts_as_one_word_and_a_new_sentence_starts_anew():
    long = f"`{'x ' * 40}`" + " word" * 29
    assert words.longest_sentence(long) == 30
    assert words.longest_sentence(f"{long}. {long}.") == 30


def test_the_check_reads_every_text():
    texts = list(words.texts(_PLAIN))
    assert [text.kind for text in texts if text.kind == "Raises"] == ["Raises"] * 3
    assert [text.text for text in texts if text.kind == "Args"] == [
        "list of int, the numbers to add.",
        "bool. If True, the sum is negated.",
    ]
    assert [text.text for text in texts if text.kind == "comment"] == [
        "Numbers are added in order, so that sums are repeatable."
    ]


_PLAIN_RUST = r"""
//! Sums of numbers.
//!
//! - The order is kept,
//!   so that sums are repeatable.

/// A sum.
struct Sum(f64); // of all numbers

/// Returns the sum.
///
/// ```
/// // What this is not: a text.
/// let url = "http://What";
/// ```
#[inline(
    always
)]
pub(crate) const unsafe extern "C" fn sum<'a>(numbers: &'a [f64]) -> f64 {
    let quote = ('"', '\\'', r#"// What "#, "\" // What");
    // SAFETY: the caller keeps the contract.
    unsafe { add(numbers) }
}

fn register(r: &mut Registry) {
    r.add(Op::new("Sum").doc("Returns the sum \
        of the input."));
}
"""


def test_plain_words_in_rust_have_no_problem():
    assert list(words.rust_problems(_PLAIN_RUST)) == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("Sums of numbers.", "What sums are.", "begins with 'What'"),
        ("- The order", "- How the order", "begins with 'How'"),
        ("of all numbers", "Where numbers are", "begins with 'Where'"),
        ("A sum.", "Whether it is a sum.", "begins with 'Whether'"),
        ("Returns the sum.", "The sum.", "does not begin with a verb"),
        ("Returns the sum.", "Values summed.", "does not begin with a verb"),
        ("Returns the sum \\\n", "The sum \\\n", "does not begin with a verb"),
        ("SAFETY: the caller keeps", "SAFETY: the caller knows", "has the word 'knows'"),
        ("The order is kept", "The order is handed on", "has the word 'handed on'"),
        ("so that sums are", f"so that{' very' * 25} sums are", "has a sentence of 34 words"),
    ],
)
def test_a_breach_of_a_rule_in_rust_is_found(old, new, problem):
    assert old in _PLAIN_RUST
    (found,) = words.rust_problems(_PLAIN_RUST.replace(old, new))
    assert found.endswith(problem)


def test_the_check_of_rust_reads_every_text():
    texts = [(text.kind, text.text) for text in words.rust_texts(_PLAIN_RUST)]
    assert texts == [
        ("doc", "Sums of numbers."),
        ("doc", "The order is kept, so that sums are repeatable."),
        ("doc", "A sum."),
        ("comment", "of all numbers"),
        ("function", "Returns the sum."),
        ("comment", "SAFETY: the caller keeps the contract."),
        ("function", "Returns the sum of the input."),
    ]
