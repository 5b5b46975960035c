"""Readers of records from files whose names come from a queue."""
