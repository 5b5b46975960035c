"""Documents and rows of numbers: cut, padded, and back again."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import ferroflow as tf

_learn = tf.contrib.learn
_text = _learn.preprocessing.text


def _rows(rows: Any) -> list[list[int]]:
    return [row.tolist() for row in rows]


def test_words() -> None:
    documents = ["a b c", "a\nb\nc", "a, b - c", "фыв выф", "你好 怎么样", "HTMLParser readFile it's"]
    assert list(_text.tokenizer(documents)) == [
        *(["a", "b", "c"], ["a", "b", "c"], ["a", "b", "-", "c"], ["фыв", "выф"], ["你好", "怎么样"]),
        ["HTML", "Parser", "readFile", "it's"],
    ]
    assert list(_text.tokenizer(["USA's NASA2 FooBar"])) == [["USA", "'s", "NASA", "2", "Foo", "Bar"]]


def test_numbers_of_words_are_cut_and_padded() -> None:
    processor = _learn.preprocessing.VocabularyProcessor(4)
    assert _rows(processor.fit_transform(["b a", "a c d e f"])) == [[1, 2, 0, 0], [2, 3, 4, 5]]
    assert len(processor.vocabulary_) == 7
    assert _rows(processor.transform(["f unseen a"])) == [[6, 0, 2, 0]]
    assert list(processor.reverse([[1, 2, 0]])) == ["b a <UNK>"]


def test_rare_words_are_unknown() -> None:
    processor = _learn.preprocessing.VocabularyProcessor(max_document_length=4, min_frequency=1)
    rows = processor.fit_transform(["c b a", "c\nb\na", "c, b - a b"])
    assert [row.dtype for row in processor.transform(["a"])] == [np.int64]
    # By frequency, then by themselves.
    assert _rows(rows) == [[3, 1, 2, 0], [3, 1, 2, 0], [3, 1, 0, 2]]


def test_a_vocabulary_and_a_tokenizer_may_be_given() -> None:
    vocabulary = _learn.preprocessing.CategoricalVocabulary()
    for word in "AB":
        vocabulary.get(word)
    vocabulary.freeze()
    processor = _learn.preprocessing.VocabularyProcessor(4, vocabulary=vocabulary, tokenizer_fn=list)
    assert _rows(processor.fit_transform(["ABC", "CBABAF"])) == [[1, 2, 0, 0], [0, 2, 1, 2]]


def test_processors_are_saved_and_restored(tmp_path: Path) -> None:
    processor = _learn.preprocessing.VocabularyProcessor(3, min_frequency=1).fit(["a b", "b a c"])
    path = tmp_path / "vocabulary"
    processor.save(str(path))
    restored = _learn.preprocessing.VocabularyProcessor.restore(str(path))
    assert _rows(restored.transform(["c b a"])) == _rows(processor.transform(["c b a"])) == [[0, 2, 1]]
    with pytest.raises(FileNotFoundError):
        _learn.preprocessing.VocabularyProcessor.restore(str(tmp_path / "missing"))


def test_tensorflows_pickled_processors_are_restored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Protocol 2, as TF 1.x on Python 2 wrote it, with names of classes and functions as text.
    name = b"tensorflow.contrib.learn.python.learn.preprocessing."
    state = (
        b"}(X\x13\x00\x00\x00max_document_lengthK\x02X\x0d\x00\x00\x00min_frequencyK\x00X\x0b\x00\x00\x00vocabulary_"
        b"c" + name + b"categorical_vocabulary\nCategoricalVocabulary\n)\x81}(X\x0e\x00\x00\x00_unknown_token"
        b"X\x05\x00\x00\x00<UNK>X\x08\x00\x00\x00_mapping}(X\x05\x00\x00\x00<UNK>K\x00X\x01\x00\x00\x00aK\x01u"
        b"X\x10\x00\x00\x00_support_reverse\x88X\x10\x00\x00\x00_reverse_mapping](X\x05\x00\x00\x00<UNK>"
        b"X\x01\x00\x00\x00aeX\x05\x00\x00\x00_freq}X\x01\x00\x00\x00aK\x03sX\x07\x00\x00\x00_freeze\x88ub"
        b"X\x0a\x00\x00\x00_tokenizerc" + name + b"text\ntokenizer\nu"
    )
    path = tmp_path / "vocabulary"
    path.write_bytes(b"\x80\x02c" + name + b"text\nVocabularyProcessor\n)\x81" + state + b"b.")
    for module in [m for m in sys.modules if m.split(".")[0] == "tensorflow"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "tensorflow", types.ModuleType("tensorflow"))
    restored = _learn.preprocessing.VocabularyProcessor.restore(str(path))
    assert type(restored) is _learn.preprocessing.VocabularyProcessor
    assert _rows(restored.transform(["a b c", "b a"])) == [[1, 0], [0, 1]]
    restored.vocabulary_.freeze(False)
    restored.vocabulary_.add("new", 2)
    assert restored.vocabulary_.reverse(2) == "new"


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8), max_size=5))
def test_bytes_of_short_documents_go_there_and_back(documents: list[str]) -> None:
    processor = _learn.preprocessing.ByteProcessor(max_document_length=32)
    rows = list(processor.fit_transform(documents))
    assert all(row.shape == (32,) and row.dtype == np.uint8 for row in rows)
    assert list(processor.reverse(rows)) == documents


def test_bytes_of_long_documents_are_cut() -> None:
    processor = _learn.preprocessing.ByteProcessor(max_document_length=3)
    assert _rows(processor.transform(["12345", b"\xff", "é€"])) == [[49, 50, 51], [255, 0, 0], [195, 169, 226]]
    # The last letter is not whole.
    assert list(processor.reverse([[195, 169, 226]])) == [""]


def test_vocabularies_are_trimmed_on_both_sides() -> None:
    vocabulary = _learn.preprocessing.CategoricalVocabulary()
    for category, count in (("c", 5), ("a", 10), (3, 10), ("d", 12), ("e", 8)):
        vocabulary.add(category, count)
    vocabulary.trim(7, 11)
    assert [vocabulary.reverse(i) for i in range(len(vocabulary))] == ["<UNK>", 3, "a", "e"]
    vocabulary.add("e", 3)
    vocabulary.trim(10)
    vocabulary.freeze()
    assert [vocabulary.get(c) for c in ("e", "a", 3)] == [1, 0, 0]


def test_what_has_no_reverse() -> None:
    vocabulary = _learn.preprocessing.CategoricalVocabulary(support_reverse=False)
    assert vocabulary.get("a") == 1
    with pytest.raises(ValueError, match="wasn't initialized with support_reverse"):
        vocabulary.reverse(1)
