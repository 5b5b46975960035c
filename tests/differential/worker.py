"""The process that runs programs with one module: it reads a program a line, and writes an outcome a line.

Its arguments are the module ("tensorflow" or "ferroflow"), and folders for `sys.path`.
"""

import json
import os
import resource
import sys
import warnings

# A program that asks for more must end with an error, and not take the machine's memory.
_MEMORY = 8 << 30


def main():
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    answers = os.fdopen(os.dup(1), "w")
    # What libraries print must not mix with the answers.
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    if not os.environ.get("FERROFLOW_DIFFERENTIAL_VERBOSE"):
        os.dup2(silence, 2)
    warnings.simplefilter("ignore")
    sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), *sys.argv[2:]]
    import importlib

    module = importlib.import_module(sys.argv[1])
    from language import Interpreter

    module.logging.set_verbosity(module.logging.FATAL)
    answers.write(json.dumps({"version": module.__version__}) + "\n")
    answers.flush()
    for line in sys.stdin:
        answers.write(json.dumps(Interpreter(module).run(json.loads(line))) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
