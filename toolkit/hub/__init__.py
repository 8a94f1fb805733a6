"""The Hugging Face Hub: what stands there, one commit at a time, tags that never move."""
