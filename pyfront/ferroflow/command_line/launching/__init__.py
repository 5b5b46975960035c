"""How `ferroflow launch` starts the tasks of a cluster, shows what they print, and ends them."""
