"""Tables are read as their files say, and data by its names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ferroflow as tf
from ferroflow._src.datasets import mnist

_datasets = tf.contrib.learn.datasets


def test_tables_with_and_without_a_header(tmp_path: Path) -> None:
    bare, headed = tmp_path / "bare.csv", tmp_path / "headed.csv"
    bare.write_text("1,0.5,2\n0,1.5,-3\n", encoding="utf-8")
    headed.write_text("2,2,first,second\n" + bare.read_text(encoding="utf-8"), encoding="utf-8")
    for found in (
        _datasets.base.load_csv_without_header(str(bare), np.int32, np.float32, target_column=0),
        _datasets.base.load_csv_with_header(str(headed), np.int32, np.float32, target_column=0),
    ):
        assert found.target.tolist() == [1, 0]
        assert found.data.tolist() == [[0.5, 2.0], [1.5, -3.0]]
        assert (found.target.dtype, found.data.dtype) == (np.int32, np.float32)
    last = _datasets.base.load_csv_without_header(str(bare), np.float64, np.float64)
    assert last.target.tolist() == [2.0, -3.0]


@pytest.mark.parametrize("content", ["3,1\n1,2\n3,4\n", "1,2\n1,2\n", "1,1\n1,x\n"])
def test_a_table_that_is_not_what_it_says_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "table.csv").write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=r"table\.csv has samples and features|invalid literal"):
        _datasets.base.load_csv_with_header(str(tmp_path / "table.csv"), np.int64, np.float64)


def test_irises() -> None:
    found = _datasets.load_dataset("iris")
    assert found.data.shape == (150, 4)
    assert np.bincount(found.target).tolist() == [50, 50, 50]
    # The means of the second and third species in Fisher's paper.
    means = [found.data[found.target == species].mean(0) for species in (1, 2)]
    np.testing.assert_allclose(means, [[5.936, 2.770, 4.260, 1.326], [6.588, 2.974, 5.552, 2.026]], rtol=1e-6)
    with pytest.raises(ValueError, match="Name of dataset is not found: none"):
        _datasets.load_dataset("none")


def test_the_digits_are_those_of_the_tutorial() -> None:
    assert _datasets.mnist.read_data_sets is mnist.read_data_sets
    assert _datasets.DATASETS["mnist"] is mnist.load_mnist
