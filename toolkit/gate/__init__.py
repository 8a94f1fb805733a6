"""What may leave this machine, looked at before anything does."""
