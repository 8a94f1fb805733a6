"""Metrics: one file a metric, each number with a signature."""
