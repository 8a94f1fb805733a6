"""Bring back the texts that a release leaves out, and prove that they are the right ones."""
