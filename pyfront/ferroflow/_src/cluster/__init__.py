"""Programs of several tasks: the cluster's description, placement of variables, where the description comes from."""
