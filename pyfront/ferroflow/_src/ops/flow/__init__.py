"""Grouping, ordering, assertions."""
