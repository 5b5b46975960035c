"""The programs in the documentation run and give what the documentation says."""

import re
from pathlib import Path

import numpy as np

import ferroflow as tf

ROOT = Path(__file__).resolve().parents[2]


def program_in(path):
    (program,) = re.findall(
        r"^```python\n(.*?)^```", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    return program


def test_the_program_of_the_readme_finds_the_weights(capsys):
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        exec(program_in("README.md"), {"__name__": "__main__"})
    found = [float(number) for number in re.findall(r"-?\d+\.\d*", capsys.readouterr().out)]
    np.testing.assert_allclose(found, [1, -2, 3, 0.5], atol=1e-3)


def test_the_example_of_the_visibility_rule_gives_the_values_it_states():
    setup, result = program_in("docs/architecture.md").split("...\n")
    call, stated = re.fullmatch(r"sess\.run\((\[.*\])\)  # (\[.*\]), always\n", result).groups()
    with tf.Graph().as_default():
        names = {"tf": tf}
        exec(setup, names)
        for threads in (1, 2, 4):
            with tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=threads)) as sess:
                for _ in range(20):
                    sess.run(names["v"].initializer)
                    assert sess.run(eval(call, names)) == eval(stated)
