"""Judges: anything that emits scores on an answer."""
