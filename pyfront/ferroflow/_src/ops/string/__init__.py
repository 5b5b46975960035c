"""Text: splitting, joining, searching, hashing, and numbers as text."""
