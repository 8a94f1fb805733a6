"""Figures as data, and how they are drawn: SVG and PNG, the same bytes every time."""
