"""Probability distributions: densities, samples, moments, divergences."""
