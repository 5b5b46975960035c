"""`python -m ferroflow`: the commands."""

import sys

from ferroflow.command_line.main import main

if __name__ == "__main__":
    sys.exit(main())
