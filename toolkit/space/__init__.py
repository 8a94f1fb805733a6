"""The leaderboard as a static web page for a Space on the Hub."""
