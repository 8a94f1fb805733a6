"""The command line: one file a command, each a thin wrapper around a plain function."""
