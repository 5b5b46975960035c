"""Contents that `ferroflow inspect` shows, a module for each kind of file: `show` for the whole file, `show_key` for
one part.
"""
