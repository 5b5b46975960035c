"""What `ferroflow inspect` shows, a module for each kind of file: `show` for all of it, `show_key` for one thing."""
