"""The programs in the documentation run and give what the documentation says."""

import importlib.util
import re
from pathlib import Path

import numpy as np

import ferroflow as tf

ROOT = Path(__file__).resolve().parents[2]


def programs_in(path):
    return re.findall(r"^```python\n(.*?)^```", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_every_example_has_a_picture_and_a_row_on_its_page():
    spec = importlib.util.spec_from_file_location("make_pictures", ROOT / "docs" / "make_pictures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    page = (ROOT / "docs" / "guide" / "examples.md").read_text(encoding="utf-8")
    programs = sorted(path.stem for path in (ROOT / "examples").glob("*.py"))
    assert programs == sorted(module.SHOWN)
    assert [name for name in programs if f"(../images/examples/{name}.png)" not in page] == []
    assert [name for name in programs if f"| `{name}.py` |" not in page] == []


def test_the_program_of_the_readme_finds_the_weights(capsys):
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        exec(programs_in("README.md")[0], {"__name__": "__main__"})
    found = [float(number) for number in re.findall(r"-?\d+\.\d*", capsys.readouterr().out)]
    np.testing.assert_allclose(found, [1, -2, 3, 0.5], atol=1e-3)


def test_the_example_of_the_visibility_rule_gives_the_values_it_states():
    setup, result = programs_in("docs/architecture.md")[0].split("...\n")
    call, stated = re.fullmatch(r"sess\.run\((\[.*\])\)  # (\[.*\]), always\n", result).groups()
    with tf.Graph().as_default():
        names = {"tf": tf}
        exec(setup, names)
        for threads in (1, 2, 4):
            with tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=threads)) as sess:
                for _ in range(20):
                    sess.run(names["v"].initializer)
                    assert sess.run(eval(call, names)) == eval(stated)


def test_the_program_of_the_walks_takes_each_of_them(tmp_path):
    with tf.Graph().as_default():
        names = {"tf": tf}
        exec(programs_in("docs/architecture.md")[1], names)
        sess, batch = names["sess"], np.ones([4, 3], np.float32)
        before = sess.run(names["loss"], {names["x"]: batch})
        sess.run(names["train"], {names["x"]: batch})
        assert sess.run(names["loss"], {names["x"]: batch}) < before
        prefix = names["saver"].save(sess, str(tmp_path / "model"))
        assert tf.train.latest_checkpoint(str(tmp_path)) == prefix
        sess.close()
