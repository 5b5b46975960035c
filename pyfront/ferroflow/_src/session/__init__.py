"""Sessions, which run graphs."""
