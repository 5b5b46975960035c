"""The implementation behind the public `ferroflow` modules, in layers: base, framework, ops and up."""
