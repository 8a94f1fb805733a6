"""Moved to :mod:`toolkit.statistics.bootstrap`; this name goes away before the release."""

from toolkit.statistics.bootstrap import *  # noqa: F403
