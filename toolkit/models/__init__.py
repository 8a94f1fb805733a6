"""Models: whatever answers a request, on this machine or on a server."""
