"""From a finished run to the Hub: staged, looked at, committed, read back, tagged."""
