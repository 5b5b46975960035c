"""Graphs as images: nodes collapsed by name scope, laid out in layers, written as SVG and HTML."""
