"""Functions of the program as operations."""
