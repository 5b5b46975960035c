"""`tensorflow.python.debug`: sessions and hooks that keep or show the values of a step."""
