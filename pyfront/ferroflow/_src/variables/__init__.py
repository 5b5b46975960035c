"""Variables: the class, scopes that share them by name, initializers, partitions and their collections."""
