"""Predictions of others: bundled without scores, reviewed by the maintainer, ranked or refused."""
