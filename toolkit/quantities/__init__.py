"""Numbers and directions in biomedical prose, and which of them another text holds."""
