"""Memory of devices."""
