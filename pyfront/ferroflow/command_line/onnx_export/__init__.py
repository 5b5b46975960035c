"""Export of frozen graphs to ONNX: `ferroflow convert GRAPH.pb --to onnx`."""
