"""Cells of grids of recurrent networks."""
