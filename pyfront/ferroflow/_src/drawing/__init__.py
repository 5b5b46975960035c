"""Graphs as pictures: nodes collapsed by name scope, laid out in layers, written as SVG and HTML."""
