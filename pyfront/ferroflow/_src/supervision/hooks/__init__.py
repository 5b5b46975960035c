"""Hooks: actions before and after the steps of a monitored session, one hook per file."""
