"""`tf.contrib.quantize`: the rewritten graphs and what they compute are those of TensorFlow 1.15.5."""

import json
import lzma
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden.quantize_programs import PROGRAMS, run

import ferroflow as tf

GOLDEN = json.loads(lzma.open(Path(__file__).parent.parent / "golden" / "quantize.json.xz", "rt").read())
# TensorFlow 1.15 has later versions of these ops. The first names are part of the names of operations.
VERSIONS = {"FusedBatchNormV3": "FusedBatchNorm", "AddV2": "Add"}


def with_versions(golden: Any) -> Any:
    text = json.dumps(golden)
    for theirs, ours in VERSIONS.items():
        text = text.replace(theirs, ours)
    return json.loads(text)


@pytest.mark.parametrize("name", PROGRAMS)
def test_rewritten_graphs_are_those_of_tensorflow(name: str) -> None:
    expected, found = with_versions(GOLDEN[name]), json.loads(json.dumps(run(tf, name)))
    if "error" in expected:
        assert found == expected
        return
    assert found["changes"] == expected["changes"]
    if expected["measured"] is None:
        assert found["measured"] is None
        return
    assert list(found["measured"]["variables"]) == list(expected["measured"]["variables"])
    for variable, value in expected["measured"]["variables"].items():
        np.testing.assert_allclose(found["measured"]["variables"][variable], value, rtol=1e-4, atol=1e-6, err_msg=variable)
    for ours, theirs in zip(found["measured"]["steps"], expected["measured"]["steps"], strict=True):
        for one, other in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-5)
