"""Linear operators: matrices with methods that use their structure."""
