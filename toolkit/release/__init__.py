"""The release: a folder that is exactly a Hub dataset repository."""
