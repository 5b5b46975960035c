"""The twenty models of `models`, written once more for torch and once more for JAX."""
