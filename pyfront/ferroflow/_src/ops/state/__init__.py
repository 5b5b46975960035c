"""Assignments and scatters to variables."""
