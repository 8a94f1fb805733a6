"""Statistics as functions of arrays: one module a question, each formula with its source."""
