"""Options and specifications of datasets are those of TensorFlow 1.15, and change no values."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from golden.dataset_option_programs import PROGRAMS
from golden.recent_runs import near, result_of
from hypothesis import given, strategies as st

import ferroflow as tf
from ferroflow._src.data.options import OptimizationOptions, merge_options

RECENT = json.loads((Path(__file__).parents[1] / "golden" / "recent.json").read_text(encoding="utf-8"))
EXPECTED = {k.partition(": ")[2]: v for k, v in RECENT.items() if k.startswith("dataset_options: ")}
FLAGS = [name for name, option in vars(OptimizationOptions).items() if getattr(option, "_kind", None) is bool]
CHOICES = st.dictionaries(st.sampled_from(FLAGS), st.booleans(), max_size=5)


def _options(values):
    options = tf.data.Options()
    for name, value in values.items():
        setattr(options.experimental_optimization, name, value)
    return options


def test_every_golden_program_is_compared():
    assert set(PROGRAMS) == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_results_are_tensorflows(name):
    found = json.loads(json.dumps(result_of(tf, PROGRAMS[name])))
    assert near(found, EXPECTED[name]), found


@given(CHOICES, CHOICES)
def test_merged_options_have_the_values_of_both(first, second):
    if any(second.get(name, value) != value for name, value in first.items()):
        with pytest.raises(ValueError, match="Cannot merge incompatible values"):
            _options(first).merge(_options(second))
    else:
        assert _options(first).merge(_options(second)) == _options({**first, **second})


@given(CHOICES)
def test_merging_is_idempotent_and_has_a_neutral_element(values):
    options = _options(values)
    assert merge_options(options, options) == merge_options(tf.data.Options(), options) == options


def test_a_pipeline_that_reads_a_variable_by_reference_is_not_rewritten():
    for use_resource in (False, True):
        with tf.Graph().as_default() as graph:
            variable = tf.Variable(3, dtype=tf.int64, use_resource=use_resource)
            dataset = tf.data.Dataset.range(4).map(lambda x, variable=variable: x + variable).batch(2)
            tf.compat.v1.data.make_initializable_iterator(dataset)
            types = {op.type for op in graph.get_operations()}
        assert ("OptimizeDataset" in types) == use_resource


def test_statistics_are_refused():
    with pytest.raises(NotImplementedError, match="Statistics of input pipelines"):
        tf.data.Options().experimental_stats.aggregator = object()
