"""Datasets: descriptions of elements, and iterators over them."""
