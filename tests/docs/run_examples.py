"""Runs examples of docstrings, under ferroflow or under TensorFlow itself.

python run_examples.py MODULE < EXAMPLES prints what fails, as JSON: names and the report of doctest. EXAMPLES are names
and examples as JSON. Python 3.7, which TensorFlow 1.15 needs, can run this file.
"""

import contextlib
import doctest
import io
import json
import os
import sys
import tempfile


def run(tf, name, example):
    """Runs an example with `tf`, `np` and `sess`, in a new default graph and an empty folder, and returns a report.

    The report is empty if every statement prints what the example shows.
    """
    import numpy as np

    tf.reset_default_graph()
    flags, verbosity = tf.flags.FLAGS, tf.logging.get_verbosity()
    defined = set(flags)
    printed, folder = io.StringIO(), os.getcwd()
    with tempfile.TemporaryDirectory() as temporary:
        os.chdir(temporary)
        try:
            session = tf.Session()
            names = {"tf": tf, "np": np, "sess": session, "__name__": "__main__"}
            test = doctest.DocTestParser().get_doctest(example, names, name, None, 0)
            with contextlib.redirect_stderr(io.StringIO()):
                doctest.DocTestRunner(verbose=False).run(test, out=printed.write)
            session.close()
        finally:
            os.chdir(folder)
            tf.logging.set_verbosity(verbosity)
            for flag in set(flags) - defined:
                delattr(flags, flag)
            flags.unparse_flags()
            tf.reset_default_graph()
    return printed.getvalue()


def main(module, examples):
    """Runs all examples and returns the reports of those that fail, by name."""
    tf = __import__(module)
    reports = {name: run(tf, name, example) for name, example in examples.items()}
    return {name: report for name, report in reports.items() if report}


if __name__ == "__main__":
    json.dump(main(sys.argv[1], json.load(sys.stdin)), sys.stdout)
