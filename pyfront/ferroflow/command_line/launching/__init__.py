"""The `ferroflow launch` command: starts the tasks of a cluster, shows their output, and ends them."""
