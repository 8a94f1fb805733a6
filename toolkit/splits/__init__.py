"""Splits: assignment by hash, date or group, near-duplicates, released ids, leakage.

- :mod:`.params`: what a recipe may say
- :mod:`.near_duplicates`: texts that say the same in almost the same words
- :mod:`.groups`: what must stay together
- :mod:`.packing`: exact sizes from groups
- :mod:`.frozen`: ids of an earlier release, which never move
- :mod:`.assign`: items to splits
- :mod:`.views`: named splits that may share items
- :mod:`.leakage`: what two splits share
"""
