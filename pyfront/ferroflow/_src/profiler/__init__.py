"""What a graph costs: parameters, floating-point operations, times and memory by name, type of operation or line."""
