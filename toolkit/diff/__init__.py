"""Two runs side by side: which inputs differ, and which numbers moved."""
