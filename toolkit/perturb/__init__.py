"""Change texts on purpose: planted edits of a known kind, each recorded and undone exactly."""
