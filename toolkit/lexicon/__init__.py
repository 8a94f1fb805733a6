"""Dictionaries of terms and alternatives that change a text's meaning: build, check, import."""
