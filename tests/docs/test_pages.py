"""Every code block of the guide runs and prints what the page says; the runner finds what is wrong."""

import re

import pytest
from docs import pages

PAGES = [
    *sorted((pages.ROOT / "docs" / "guide").glob("*.md")),
    pages.ROOT / "docs" / "distributed.md",
    pages.ROOT / "docs" / "notebooks.md",
    pages.ROOT / "README.md",
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_blocks_of_a_page_run(page, tmp_path):
    pages.run(page, tmp_path)


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/releasing.md", "docs/command_line.md"])
def test_targets_of_make_exist(page):
    targets = re.findall(r"^([a-z-]+):.*## ", (pages.ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    text = (pages.ROOT / page).read_text(encoding="utf-8")
    named = re.findall(r"(?:^|`|&& )make ([a-z-]+)", text, re.MULTILINE)
    assert named
    assert set(named) - set(targets) == set()


GOOD = """
```python
import ferroflow as tf

x = tf.constant(2)
```

```python
with tf.Session() as sess:
    print(sess.run(x + 1), "and", 0.123)
```

```text
3 and ...
```

```python title="train.py"
print("trained")
```

```console
$ python train.py
trained
$ mkdir made && cd made
$ ls ../train.py
../train.py
$ make wheel
$ pip install 'ferroflow[onnx]'
```
"""


def _run(text, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    pages.run(page, tmp_path / "folder")


def test_a_right_page_passes(tmp_path):
    _run(GOOD, tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("x + 1", "y + 1", "NameError"),
        ("3 and ...", "4 and ...", "instead of\n4 and"),
        ("$ python train.py\ntrained", "$ python train.py\nlearned", "instead of\nlearned"),
        ("$ python train.py", "$ python other.py", "exit status 2"),
        ("ls ../train.py", "ls made/../train.py", "exit status 2"),
        ("make wheel", "make whell", "no make target 'whell'"),
        ("ferroflow[onnx]", "ferroflow[onyx]", "no extra 'onyx'"),
        ("```text", "```mystery", "no rule for a block of mystery"),
    ],
)
def test_a_wrong_page_fails(old, new, problem, tmp_path):
    assert old in GOOD
    with pytest.raises(AssertionError) as raised:
        _run(GOOD.replace(old, new), tmp_path)
    assert problem in str(raised.value)
