"""Where the weights of a local model are: on this machine, in a package, or on the Hub.

One file (``gguf``) or a folder of files (``folder``); both say what they are without asking the
network (``identify``) and bring it when it is time to compute (``locate``).
"""
