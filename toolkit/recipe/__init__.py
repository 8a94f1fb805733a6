"""The recipe language: schema, strict loader with line numbers, frozen dataclasses."""
