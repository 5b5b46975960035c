"""Prints work and span of the training steps of the twenty models.

    python benches/python/span.py [--models REGEX] [--sizes small,large]

Work is the number of instructions in a step's plan, span that of the longest chain in which each needs a value of the
one before; a loop counts as one. If all took equally long, running instructions at the same time could win at most
work divided by span, with any number of threads.
"""

from __future__ import annotations

import argparse
import re

import numpy as np
from models import MODELS

import ferroflow as tf

_LAST_LINE = re.compile(r"work: (\d+) instructions; span: (\d+) one after the other$")


def work_and_span(name: str, large: bool) -> tuple[int, int]:
    """Returns both for the plan of a step with the model's feeds."""
    with tf.Graph().as_default():
        model = MODELS[name](tf, large)
        shapes = [list(np.shape(value)) for value in model.feeds.values()]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            text = session._core.plan_text([model.loss], list(model.feeds), [model.train], shapes)
    found = _LAST_LINE.search(text.rstrip())
    if found is None:
        raise ValueError(f"the plan of {name} ends without work and span")
    return int(found[1]), int(found[2])


def main() -> None:
    """Parses the command line and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default="", help="regular expression of names")
    parser.add_argument("--sizes", default="small,large")
    args = parser.parse_args()
    print("| model and size | work | span | work / span |\n|---|---|---|---|")
    for name in MODELS:
        for size in args.sizes.split(","):
            if re.search(args.models, name):
                work, span = work_and_span(name, size == "large")
                print(f"| {name}, {size} | {work} | {span} | {work / span:.1f} |")


if __name__ == "__main__":
    main()
