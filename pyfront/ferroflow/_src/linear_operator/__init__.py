"""Linear operators: matrices known by what they do, with methods that use their structure."""
