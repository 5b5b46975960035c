"""Files read and written by operations."""
