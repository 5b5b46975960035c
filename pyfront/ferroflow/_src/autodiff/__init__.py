"""Reverse-mode differentiation of graphs."""
