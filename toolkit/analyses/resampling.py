"""Moved to :mod:`toolkit.statistics.resampling`; this name goes away before the release."""

from toolkit.statistics.resampling import *  # noqa: F403
