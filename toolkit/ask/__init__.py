"""The one way to ask a model: client, retry policy, checks, answer parser."""
