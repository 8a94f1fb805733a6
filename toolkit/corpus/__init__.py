"""Sources of items and the rules that turn records into items."""
