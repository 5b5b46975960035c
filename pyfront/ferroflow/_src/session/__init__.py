"""Sessions: what runs graphs."""
