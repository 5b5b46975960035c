"""Functions on text and on quantized numbers give what TensorFlow's give."""

import json
from pathlib import Path

import pytest
from golden.text_programs import CASES, outcome

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "texts.json").read_text(encoding="utf-8"))


def _is_float(item):
    return isinstance(item, str) and "0x" in item


def _same(found, wanted):
    """Equal, but for the last bits of numbers that quantization rounds in TensorFlow's own order."""
    if isinstance(wanted, list) and isinstance(found, list):
        return len(found) == len(wanted) and all(map(_same, found, wanted))
    if _is_float(wanted) and _is_float(found):
        return float.fromhex(found) == pytest.approx(float.fromhex(wanted), rel=2e-6, abs=1e-6)
    return found == wanted


@pytest.mark.parametrize("name", [name for name in CASES if "quant" not in name])
def test_text_is_tensorflows(name):
    assert outcome(tf, CASES[name]) == GOLDEN[name]


@pytest.mark.parametrize("name", [name for name in CASES if "quant" in name])
def test_quantization_is_tensorflows_to_rounding(name):
    assert _same(outcome(tf, CASES[name]), GOLDEN[name])


def test_every_golden_case_is_compared():
    assert set(GOLDEN) == set(CASES)
