"""Reader studies as files: cases out of a finished run, ratings back into a recipe.

- :mod:`.answers`: what a form may show, and which of it failed
- :mod:`.balance`: options as often alike as can be
- :mod:`.cases`: which cases readers see, in which order
- :mod:`.sheets`: tables and instructions as text
- :mod:`.private_files`: files that are not overwritten, and private where they must be
- :mod:`.export`: a form becomes a folder
- :mod:`.rated`: what readers wrote, with every fault
- :mod:`.collect`: what they wrote becomes tables of ratings
"""
