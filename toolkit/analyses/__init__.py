"""Analyses: tables in, tables out; one file an analysis."""
