"""A damaged SavedModel is refused with an error of TensorFlow, or gives what its vocabulary says."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import DecodeError

import ferroflow as tf

_REFUSALS = (ValueError, TypeError, KeyError, RuntimeError, OSError, DecodeError, tf.errors.OpError)
_VALUES = [1.0, 2.0, 3.0]


@pytest.fixture(name="model")
def _model(tmp_path: Path) -> Path:
    """A SavedModel with a variable, a table and its vocabulary."""
    vocabulary = tmp_path / "vocabulary"
    vocabulary.write_text("a\nb\n")
    folder = tmp_path / "model"
    with tf.Graph().as_default(), tf.Session() as session:
        words = tf.placeholder(tf.string, [None])
        variable = tf.Variable(_VALUES)
        table = tf.contrib.lookup.index_table_from_file(str(vocabulary), num_oov_buckets=1)
        found = tf.gather(variable, table.lookup(words))
        session.run([variable.initializer, tf.tables_initializer()])
        builder = tf.saved_model.builder.SavedModelBuilder(str(folder))
        builder.add_meta_graph_and_variables(
            session,
            ["serve"],
            {"serving_default": tf.saved_model.signature_def_utils.predict_signature_def({"x": words}, {"y": found})},
            assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
            legacy_init_op=tf.tables_initializer(),
        )
        builder.save()
    return folder


def _answers(folder: Path) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        loaded = tf.saved_model.loader.load(session, ["serve"], str(folder))
        signature = loaded.signature_def["serving_default"]
        feeds = {signature.inputs["x"].name: ["a", "b", "q"]}
        options = tf.RunOptions(timeout_in_ms=2000)
        return session.run(signature.outputs["y"].name, feeds, options=options).tolist()


def _damaged(content: bytes, choose: random.Random) -> bytes | None:
    at, other = choose.randrange(len(content)), choose.randrange(len(content))
    return choose.choice(
        [
            None,
            content[:at],
            content[:at] + bytes([content[at] ^ 1 << choose.randrange(8)]) + content[at + 1 :],
            content[:at] + choose.randbytes(4) + content[at + 4 :],
            content[: min(at, other)] + content[max(at, other) :],
        ]
    )


@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
@pytest.mark.parametrize(
    "name", ["saved_model.pb", "assets/vocabulary", "variables/variables.index", "variables/*data*"]
)
def test_a_damaged_file_is_refused_or_gives_right_values(model: Path, name: str) -> None:
    (file,) = model.glob(name)
    whole = file.read_bytes()
    choose = random.Random(name)
    outcomes: Counter[bool] = Counter()
    for _ in range(150):
        content = _damaged(whole, choose)
        if content is None:
            file.unlink()
        else:
            file.write_bytes(content)
        try:
            answers = _answers(model)
        except tf.errors.InternalError:
            raise
        except _REFUSALS:
            outcomes[False] += 1
        else:
            # Another vocabulary gives the variable's values in another order.
            assert answers == _VALUES or (name.startswith("assets") and set(answers) <= set(_VALUES))
            outcomes[True] += 1
        file.write_bytes(whole)
    assert outcomes[False] > 20
    assert _answers(model) == _VALUES
