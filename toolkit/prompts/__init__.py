"""Prompts: template files, what fills their slots, worked examples, rendering."""
