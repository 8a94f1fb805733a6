"""The report of a run: a leaderboard as Markdown, CSV, Parquet and one HTML page."""
