"""A recipe becomes a plan: steps, fingerprints, a forecast, and why each step runs."""
