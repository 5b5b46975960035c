"""Text and categories made numbers before a graph sees them."""
